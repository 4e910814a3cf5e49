import { Redis } from 'ioredis';
import type { Logger } from '../logger.ts';

export type { Redis } from 'ioredis';

/**
 * A client that answers or fails at once: no offline queue, 50 ms a command. Redis being away is a state to decide
 * in, never a reason to wait.
 */
export const openRedis = (url: string, log: Logger, options: { commandTimeoutMs?: number } = {}): Redis => {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: options.commandTimeoutMs ?? 50,
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(50 * tries, 1_000),
    lazyConnect: false,
  });
  let said = 0;
  redis.on('error', (error) => {
    if (Date.now() - said < 60_000) return;
    said = Date.now();
    log.warn({ err: error }, 'redis is not reachable');
  });
  return redis;
};
