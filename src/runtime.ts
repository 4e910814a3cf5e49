import type { Config } from './config.ts';
import { PAYOUT_LIMITS } from './contracts/payout-timing.ts';
import { hasDueConversions } from './domains/conversions/index.ts';
import { ENTITIES } from './domains/entities.ts';
import { createRails, type Rails, signalBlockedPayouts, UNFINISHED_PAYOUTS } from './domains/payouts/index.ts';
import { fanOutEvent, UNFINISHED_DELIVERIES } from './domains/webhooks/index.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Actor, Context, Settings } from './platform/context.ts';
import { createFieldCipher, type FieldCipher } from './platform/crypto/field-cipher.ts';
import { forkOf, type Orm, openOrm } from './platform/database/orm.ts';
import { type Ids, randomIds } from './platform/ids.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { readPolicy } from './platform/outbound/policy.ts';
import type { UnfinishedWorkSource } from './platform/outbox/unfinished-work.ts';
import { openRedis, type Redis } from './platform/redis/redis.ts';

/** The resources that every process opens. */
export interface Runtime {
  config: Config;
  orm: Orm;
  redis: Redis;
  log: Logger;
  clock: Clock;
  ids: Ids;
  cipher: FieldCipher;
  settings: Settings;
  rails: Rails;
  /** Everything that needs an open workflow until it ends. */
  unfinished: readonly UnfinishedWorkSource[];
  /** Whether the release of commissions has anything to do. */
  isReleaseDue(ctx: Context): Promise<boolean>;
  /** A new context for one request, one activity or one command. */
  context(actor: Actor, log?: Logger): Context;
  close(): Promise<void>;
}

export const KEY_CHANGED_CHANNEL = 'tributary:key-changed';

export const openRuntime = async (config: Config, process: string, clock: Clock = systemClock): Promise<Runtime> => {
  const log = createLogger({ level: config.LOG_LEVEL, process });
  const cipher = createFieldCipher(config.ENCRYPTION_KEYS);
  const orm = await openOrm(
    {
      url: config.DATABASE_URL,
      poolMax: config.DATABASE_POOL,
      statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
    },
    ENTITIES,
  );
  const redis = openRedis(config.REDIS_URL, log);
  const settings: Settings = {
    environment: config.ENVIRONMENT,
    payoutLimits: PAYOUT_LIMITS,
    payoutRails: { paypal: config.RAIL_PAYPAL, bank_transfer: config.RAIL_BANK_TRANSFER },
    outbound: readPolicy({
      allowedPrivate: config.WEBHOOK_ALLOWED_PRIVATE_ADDRESSES,
      denied: config.WEBHOOK_DENIED_ADDRESSES,
      publicUrl: config.PUBLIC_URL,
    }),
  };
  const rails = createRails(config, clock);
  return {
    config,
    orm,
    redis,
    log,
    clock,
    ids: randomIds,
    cipher,
    settings,
    rails,
    unfinished: [...UNFINISHED_PAYOUTS, UNFINISHED_DELIVERIES],
    isReleaseDue: hasDueConversions,
    context: (actor, requestLog = log) => ({
      // Created on first use: some requests never need it.
      get em() {
        const em = forkOf(orm);
        Object.defineProperty(this, 'em', { value: em, enumerable: true });
        return em;
      },
      actor,
      clock,
      ids: randomIds,
      log: requestLog,
      cipher,
      settings,
      listeners: [fanOutEvent, signalBlockedPayouts],
      broadcasts: [],
      publish: async (broadcast) => {
        await redis.publish(KEY_CHANGED_CHANNEL, broadcast.text);
      },
    }),
    async close() {
      redis.disconnect();
      await rails.close();
      await orm.close(true);
    },
  };
};
