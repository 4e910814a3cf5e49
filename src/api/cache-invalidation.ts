import type { ApiKeyCache } from '../domains/auth/index.ts';
import { forgetSigningSecrets } from '../domains/programs/index.ts';
import type { Logger } from '../platform/logger.ts';
import { openRedis, type Redis } from '../platform/redis/redis.ts';
import { channelOf } from '../runtime.ts';

/**
 * Drops revoked and changed keys and signing secrets from the caches immediately. After every (re)connection everything is
 * dropped.
 */
export const subscribeToInvalidation = (redisUrl: string, keys: ApiKeyCache, log: Logger): Redis => {
  const subscriber = openRedis(redisUrl, log, { commandTimeoutMs: 2_000 });
  const [keyChanged, secretChanged] = [channelOf('key-changed'), channelOf('secret-changed')];
  subscriber.on('ready', () => {
    // What was cached before the subscription is active may have changed since.
    subscriber.subscribe(keyChanged, secretChanged).then(
      () => {
        keys.invalidate();
        forgetSigningSecrets();
      },
      (err: unknown) => log.warn({ err }, 'subscription to changes of keys and secrets failed: revocations take up to 5 s'),
    );
  });
  subscriber.on('message', (channel: string, id: string) => {
    if (channel === secretChanged) forgetSigningSecrets(id);
    else keys.invalidate(id);
  });
  return subscriber;
};
