import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { createApiKey } from '../../src/domains/auth/index.ts';
import { createMerchant } from '../../src/domains/merchants/index.ts';
import { openLocalStack } from '../../src/local/stack/index.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { options } from './options.ts';
import { openPool, type PgPool } from './pg.ts';
import { addEnvironment, log } from './report.ts';
import { seedMembers, seedProgram } from './seed.ts';
import { type Environment, leaveFirstCore } from './server.ts';

export interface BenchStack {
  /** Settings for the programs in bin. */
  env: Environment;
  runtime: Runtime;
  /** Used for setup and counting, not in any measurement. */
  database: PgPool;
  /** Process ids of the servers, each with its child processes. */
  pids: { temporal: number; postgres: number; redis: number };
  close(): Promise<void>;
}

/** New Postgres, Redis and Temporal servers, with durable commits as in production. */
const openStack = async (pinned: boolean): Promise<BenchStack> => {
  if (pinned) await leaveFirstCore();
  const stack = await openLocalStack({ data: 'temporary', durable: true, env: process.env, log, onCrash: log });
  await migrate(stack.ownerDatabaseUrl, { url: stack.databaseUrl });
  const env = {
    ...process.env,
    NODE_ENV: undefined,
    ENVIRONMENT: 'development',
    LOG_LEVEL: 'info',
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    MAILBOX_DIR: join(tmpdir(), 'tributary-bench-mailbox'),
    FILES_DIR: join(tmpdir(), 'tributary-bench-files'),
    ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 5).toString('base64')}`,
  };
  const runtime = await openRuntime(loadConfig({ ...env, LOG_LEVEL: 'silent' }), 'bench');
  const database = openPool(stack.ownerDatabaseUrl, 4);
  const { rows } = await database.query<{ server_version: string }>('show server_version');
  addEnvironment(`Postgres ${rows[0]?.server_version}`);
  return {
    env,
    runtime,
    database,
    pids: { temporal: stack.pids.temporal ?? 0, postgres: stack.pids.postgres ?? 0, redis: stack.pids.redis ?? 0 },
    async close() {
      await database.end();
      await runtime.close();
      await stack.close();
    },
  };
};

const system = { kind: 'system', name: 'bench' } as const;

export const createBenchMerchant = async (runtime: Runtime): Promise<string> => {
  const name = randomBytes(6).toString('hex');
  return (await createMerchant(runtime.context(system), { companyName: `Company ${name}`, email: `m-${name}@example.com` })).id;
};

/** Headers of several API keys with a rate limit that is never reached. */
export const createCallers = async (runtime: Runtime, merchantId: string, count: number): Promise<Record<string, string>[]> => {
  const callers: Record<string, string>[] = [];
  for (let n = 0; n < count; n++) {
    const input = { keyType: 'merchant', ownerId: merchantId, name: `bench ${n}`, rateLimit: 1_000_000 } as const;
    const { value } = await createApiKey(runtime.context(system), input);
    callers.push({ authorization: `Bearer ${value}`, 'content-type': 'application/json' });
  }
  return callers;
};

/** A merchant with conversions, and the request for the first page of their list. */
export const prepareList = async ({ env, runtime, database }: BenchStack) => {
  const merchantId = await createBenchMerchant(runtime);
  const programId = await seedProgram(runtime, database, merchantId);
  await seedMembers(runtime, database, { merchantId, programId, count: options.quick ? 1_000 : 50_000 });
  const headers = await createCallers(runtime, merchantId, 50);
  return { env: { ...env, MERCHANT_ID: merchantId }, url: '/api/v1/conversions?limit=20', headers };
};

type Run = (stack: BenchStack, started: <T extends Stoppable>(thing: T) => T) => Promise<void>;

/**
 * Runs a benchmark and stops everything it started, in reverse order, also after an error. `pinned` leaves the first core
 * to the program under test; without it, all processes share all cores.
 */
export const withStack = async (run: Run, { pinned = true } = {}): Promise<void> => {
  const stack = await openStack(pinned);
  const running: Stoppable[] = [];
  const started = <T extends Stoppable>(thing: T): T => {
    running.push(thing);
    return thing;
  };
  try {
    await run(stack, started);
  } finally {
    for (const thing of running.reverse()) await thing.stop();
    await stack.close();
  }
};

interface Stoppable {
  stop(): Promise<unknown>;
}
