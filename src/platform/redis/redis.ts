import { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';

export type { Redis } from 'ioredis';

const UNAVAILABLE_LOG_INTERVAL_MS = 60_000;
const loggedAt = new WeakMap<Logger, number>();

/** At most one line per minute and process, however many clients report the outage. */
export const logUnavailable = (log: Logger, err: unknown): void => {
  const now = Date.now();
  if (now - (loggedAt.get(log) ?? 0) < UNAVAILABLE_LOG_INTERVAL_MS) return;
  loggedAt.set(log, now);
  log.warn({ err }, 'redis unavailable: using per-process rate limits, key revocations take up to 5 s');
};

/**
 * A client that fails fast: no offline queue, 1 s per command, and silent connections are closed. Requests are decided
 * without Redis when it is unavailable; they never wait for it.
 */
export const openRedis = (url: string, log: Logger, options: { commandTimeoutMs?: number } = {}): Redis => {
  const commandTimeout = options.commandTimeoutMs ?? 1_000;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout,
    socketTimeout: 1_000 + commandTimeout,
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(50 * tries, 1_000),
    lazyConnect: false,
  });
  redis.on('error', (error) => logUnavailable(log, error));
  return redis;
};
