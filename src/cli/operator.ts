import { once } from 'node:events';
import { loadConfig } from '../config.ts';
import { findSecrets } from '../demo/secrets-file.ts';
import { systemSettings } from '../demo/settings.ts';
import { findStackFile, stackFileIn } from '../demo/stack-file.ts';
import { LocalStackError } from '../local-stack/local-stack-error.ts';
import type { Environment } from '../local-stack/programs.ts';
import type { Context } from '../platform/context.ts';
import { firstRow, sql } from '../platform/database/sql.ts';
import { notFound } from '../platform/errors.ts';
import { openRuntime, type Runtime } from '../runtime.ts';

const REDIS_WAIT_MS = 2_000;
/** Proofs over the whole ledger take longer than a request may. */
const STATEMENT_TIMEOUT_MS = '120000';

/** A runtime for one command: the installation that the environment names, or else the one of `npm start` in this folder. */
export const openOperatorRuntime = async (env: Environment, folder: string): Promise<Runtime> => {
  const settings = env['DATABASE_URL'] ? env : await settingsOf(env, folder);
  const config = loadConfig({
    DATABASE_STATEMENT_TIMEOUT_MS: STATEMENT_TIMEOUT_MS,
    ...settings,
    DATABASE_POOL: '4',
    // Standard output belongs to the answer.
    LOG_LEVEL: 'silent',
  });
  return openRuntime(config, 'operator');
};

const settingsOf = async (env: Environment, folder: string): Promise<Environment> => {
  const [stack, secrets] = await Promise.all([findStackFile(folder), findSecrets(folder)]);
  if (stack && secrets) return systemSettings(env, stack, secrets);
  throw new LocalStackError(
    `DATABASE_URL is not set and ${stackFileIn(folder)} does not exist: run npm start first, or set DATABASE_URL, REDIS_URL and ENCRYPTION_KEYS`,
  );
};

export const operatorContext = (runtime: Runtime): Context => runtime.context({ kind: 'system', name: 'operator' });

/** The client fails at once while it connects, and news published then would be lost. False when Redis stays away. */
export const untilRedisListens = async ({ redis }: Runtime): Promise<boolean> => {
  if (redis.status === 'ready') return true;
  const late = AbortSignal.timeout(REDIS_WAIT_MS);
  return once(redis, 'ready', { signal: late }).then(
    () => true,
    () => redis.status === 'ready',
  );
};

export interface KeyOwner {
  kind: 'merchant' | 'affiliate';
  id: string;
}

/** Keys refer to their owner without a foreign key: nothing else would notification one that belongs to nobody. */
export const assertKeyOwner = async (ctx: Context, { kind, id }: KeyOwner): Promise<void> => {
  const found =
    kind === 'merchant'
      ? await firstRow(ctx.em, sql`select 1 from merchant where id = ${id}::uuid`)
      : await firstRow(ctx.em, sql`select 1 from affiliate_profile where id = ${id}::uuid`);
  if (!found) throw notFound(kind === 'merchant' ? 'Merchant' : 'Affiliate profile');
};
