import { once } from 'node:events';
import { type Config, loadConfig } from '../config.ts';
import { type Environment, installedSettings } from '../local/installation/system-settings.ts';
import type { Context } from '../platform/context.ts';
import { armFaultPoints } from '../platform/fault-points.ts';
import { openRuntime, type Runtime } from '../runtime.ts';

const REDIS_WAIT_MS = 2_000;
/** Checks of the whole ledger take longer than a request may. */
const STATEMENT_TIMEOUT_MS = '120000';
/** No caller waits who would give up before. */
const CONNECT_TIMEOUT_MS = '10000';

/** The servers that the environment names, or else those of `npm start` in this folder. */
export const readOperatorConfig = async (env: Environment, folder: string): Promise<Config> => {
  const settings = env['DATABASE_URL'] ? env : await installedSettings(env, folder);
  return loadConfig({
    DATABASE_STATEMENT_TIMEOUT_MS: STATEMENT_TIMEOUT_MS,
    DATABASE_CONNECT_TIMEOUT_MS: CONNECT_TIMEOUT_MS,
    ...settings,
    DATABASE_POOL: '4',
    // Standard output is for the result only.
    LOG_LEVEL: 'silent',
  });
};

/** A runtime for one command. */
export const openOperatorRuntime = async (env: Environment, folder: string): Promise<Runtime> => {
  const config = await readOperatorConfig(env, folder);
  armFaultPoints(config.FAULT_POINTS);
  return openRuntime(config, 'operator');
};

export const operatorContext = (runtime: Runtime): Context => runtime.context({ kind: 'system', name: 'operator' });

/** Messages published before the client is connected are lost. False when Redis stays unavailable. */
export const waitForRedis = async ({ redis }: Pick<Runtime, 'redis'>): Promise<boolean> => {
  if (redis.status === 'ready') return true;
  const timeout = AbortSignal.timeout(REDIS_WAIT_MS);
  return once(redis, 'ready', { signal: timeout }).then(
    () => true,
    () => redis.status === 'ready',
  );
};
