import { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';

export type { Redis } from 'ioredis';

const UNAVAILABLE_LOG_INTERVAL_MS = 60_000;
const saidAt = new WeakMap<Logger, number>();

/** One line a minute for a whole process, whichever of its clients notifications first. */
export const logUnavailable = (log: Logger, err: unknown): void => {
  const now = Date.now();
  if (now - (saidAt.get(log) ?? 0) < UNAVAILABLE_LOG_INTERVAL_MS) return;
  saidAt.set(log, now);
  log.warn({ err }, 'redis does not answer: each process limits alone, and revoked keys are heard of late');
};

/**
 * A client that answers or fails soon: no offline queue, a second for a command, and a connection that stays silent is
 * given up. Redis being away is a state to decide in, never a reason to wait.
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
