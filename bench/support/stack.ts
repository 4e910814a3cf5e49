import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../src/config.ts';
import { createApiKey } from '../../src/domains/auth/index.ts';
import { createMerchant } from '../../src/domains/merchants/index.ts';
import { openLocalStack } from '../../src/local-stack/index.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { options } from './options.ts';
import { openPool, type PgPool } from './pg.ts';
import { addFact, log } from './report.ts';
import { seedMembers, seedProgram } from './seed.ts';
import { type Environment, leaveTheFirstCore } from './server.ts';

export interface BenchStack {
  /** Settings of the programs of bin. */
  env: Environment;
  runtime: Runtime;
  /** For preparing and counting; not part of any measurement. */
  database: PgPool;
  close(): Promise<void>;
}

/** Postgres, Redis and Temporal of its own, with commits that wait for the disk as they do in production. */
const openStack = async (pinned: boolean): Promise<BenchStack> => {
  if (pinned) await leaveTheFirstCore();
  const stack = await openLocalStack({ data: 'temporary', durable: true, env: process.env, log, onCrash: log });
  await migrate(stack.databaseUrl);
  const env = {
    ...process.env,
    NODE_ENV: undefined,
    ENVIRONMENT: 'development',
    LOG_LEVEL: 'info',
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 5).toString('base64')}`,
  };
  const runtime = await openRuntime(loadConfig({ ...env, LOG_LEVEL: 'silent' }), 'bench');
  const database = openPool(stack.databaseUrl, 4);
  const { rows } = await database.query<{ server_version: string }>('show server_version');
  addFact(`Postgres ${rows[0]?.server_version}`);
  return {
    env,
    runtime,
    database,
    async close() {
      await database.end();
      await runtime.close();
      await stack.close();
    },
  };
};

const system = { kind: 'system', name: 'bench' } as const;

export const makeMerchant = async (runtime: Runtime): Promise<string> => {
  const name = randomBytes(6).toString('hex');
  return (await createMerchant(runtime.context(system), { companyName: `Company ${name}`, email: `m-${name}@example.com` })).id;
};

/** Headers with keys that no rate limit stops; several, as a server sees them. */
export const makeCallers = async (runtime: Runtime, merchantId: string, count: number): Promise<Record<string, string>[]> => {
  const callers: Record<string, string>[] = [];
  for (let n = 0; n < count; n++) {
    const input = { keyType: 'merchant', ownerId: merchantId, name: `bench ${n}`, rateLimit: 1_000_000 } as const;
    const { value } = await createApiKey(runtime.context(system), input);
    callers.push({ authorization: `Bearer ${value}`, 'content-type': 'application/json' });
  }
  return callers;
};

/** A merchant with a list of conversions, and how to ask for its first page. */
export const prepareList = async ({ env, runtime, database }: BenchStack) => {
  const merchantId = await makeMerchant(runtime);
  const programId = await seedProgram(runtime, database, merchantId);
  await seedMembers(runtime, database, { merchantId, programId, count: options.quick ? 1_000 : 50_000 });
  const headers = await makeCallers(runtime, merchantId, 50);
  return { env: { ...env, MERCHANT_ID: merchantId }, url: '/api/v1/conversions?limit=20', headers };
};

type Work = (stack: BenchStack, started: <T extends Stoppable>(thing: T) => T) => Promise<void>;

/**
 * What was started is stopped, last first, whatever happens. `pinned` leaves the first core to the program under test;
 * without it everything shares all of them.
 */
export const withStack = async (work: Work, { pinned = true } = {}): Promise<void> => {
  const stack = await openStack(pinned);
  const running: Stoppable[] = [];
  const started = <T extends Stoppable>(thing: T): T => {
    running.push(thing);
    return thing;
  };
  try {
    await work(stack, started);
  } finally {
    for (const thing of running.reverse()) await thing.stop();
    await stack.close();
  }
};

interface Stoppable {
  stop(): Promise<unknown>;
}
