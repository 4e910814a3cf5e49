import type { ApiKeyCache } from '../domains/auth/index.ts';
import type { Logger } from '../platform/logger.ts';
import { openRedis, type Redis } from '../platform/redis/redis.ts';
import { KEY_CHANGED_CHANNEL } from '../runtime.ts';

/** Drops revoked and changed keys from the cache immediately. After every (re)connection the whole cache is dropped. */
export const subscribeToKeyInvalidation = (redisUrl: string, keys: ApiKeyCache, log: Logger): Redis => {
  const subscriber = openRedis(redisUrl, log, { commandTimeoutMs: 2_000 });
  subscriber.on('ready', () => {
    // Keys that were cached before the subscription is active may have changed since.
    subscriber.subscribe(KEY_CHANGED_CHANNEL).then(
      () => keys.invalidate(),
      (err: unknown) => log.warn({ err }, 'subscription to API key changes failed: revocations take up to 5 s'),
    );
  });
  subscriber.on('message', (_channel: string, keyId: string) => keys.invalidate(keyId));
  return subscriber;
};
