import type { ApiKeyCache } from '../domains/auth/index.ts';
import type { Logger } from '../platform/logger.ts';
import { openRedis, type Redis } from '../platform/redis/redis.ts';
import { KEY_CHANGED_CHANNEL } from '../runtime.ts';

/** Drops revoked and changed keys from the cache at once. After a gap in the news nothing cached is trusted. */
export const subscribeToKeyInvalidation = (redisUrl: string, keys: ApiKeyCache, log: Logger): Redis => {
  const news = openRedis(redisUrl, log, { commandTimeoutMs: 2_000 });
  news.on('ready', () => {
    // What was read before the subscription stands may have changed unheard.
    news.subscribe(KEY_CHANGED_CHANNEL).then(
      () => keys.forget(),
      (err: unknown) => log.warn({ err }, 'changes of keys are not heard of'),
    );
  });
  news.on('message', (_channel: string, keyId: string) => keys.forget(keyId));
  return news;
};
