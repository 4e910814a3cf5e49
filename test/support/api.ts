import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Mount } from '../../src/api/mount.ts';
import { buildApi } from '../../src/api/server.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { mountConsole } from '../../src/console/index.ts';
import { RATE_WINDOW_MS } from '../../src/contracts/limits.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createRateLimiter } from '../../src/platform/redis/rate-limit.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { createTestDatabase } from './stack/database.ts';
import { useForFile } from './use-for-file.ts';

export type TestEnvironment = Readonly<Record<string, string | undefined>>;

/** Timeouts for machines under load. Tests of the real timeouts set them back. */
export const SLOW_DATABASE: TestEnvironment = { DATABASE_STATEMENT_TIMEOUT_MS: '10000', DATABASE_CONNECT_TIMEOUT_MS: '60000' };

/** Settings of a process under test, with its own database. */
export const testConfig = (databaseUrl: string, more: TestEnvironment = {}): Config =>
  loadConfig({
    ENVIRONMENT: 'development',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '10',
    REDIS_URL: process.env['TEST_REDIS_URL'],
    TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    WEBHOOK_ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1:*',
    MAILBOX_DIR: join(tmpdir(), 'tributary-test-mailbox'),
    FILES_DIR: join(tmpdir(), 'tributary-test-files'),
    // Its limits are those that tests reach.
    DEFAULT_TIER: 'free',
    // Nobody is asked outside this machine.
    DNS_SERVERS: '127.0.0.1:9',
    ...more,
  });

export interface TestResponse {
  status: number;
  headers: LightMyRequestResponse['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  meta: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  error: any;
  text: string;
}

export interface CallOptions {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  /** Address of the caller. Default: a random one, because anonymous calls are limited per address. */
  from?: string;
}

export interface TestApi {
  app: FastifyInstance;
  runtime: Runtime;
  /** Sends one request through the whole pipeline. `path` is relative to /api/v1. */
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, options?: CallOptions): Promise<TestResponse>;
  /** As `call`, for an absolute path and a raw body. */
  raw(
    method: 'GET' | 'POST',
    path: string,
    options: { body?: string; headers?: Record<string, string>; from?: string },
  ): Promise<TestResponse>;
}

/** With a database of its own. */
export interface OwnTestApi extends TestApi {
  close(): Promise<void>;
}

export const toTestResponse = (response: LightMyRequestResponse): TestResponse => {
  const json = response.headers['content-type']?.toString().startsWith('application/json') ? response.json() : {};
  return {
    status: response.statusCode,
    headers: response.headers,
    data: json.data,
    meta: json.meta,
    error: json.error,
    text: response.body,
  };
};

/** A random address for each call, so that the limit for anonymous calls does not affect other tests. */
export const anyAddress = (): string => `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join('.')}`;

export interface TestApiOptions {
  /** Connects as the owner of the tables, for tests that break what the application may not. */
  asOwner?: boolean | undefined;
  /** For tests that wait until a rate limit is over. */
  rateWindowMs?: number | undefined;
  /** For tests of months. */
  clock?: Clock | undefined;
  /** Other pages than those of the product. */
  mounts?: readonly Mount[] | undefined;
}

/** The API as bin/api.ts builds it, with real Postgres and Redis, called in process. */
export const openTestApi = async (
  more: TestEnvironment = {},
  { asOwner, rateWindowMs: windowMs = RATE_WINDOW_MS, clock, mounts = [mountConsole] }: TestApiOptions = {},
): Promise<OwnTestApi> => {
  const database = await createTestDatabase();
  const config = testConfig(asOwner ? database.ownerUrl : database.url, { ...SLOW_DATABASE, ...more });
  const runtime = await openRuntime(config, 'test', clock);
  const limiter = createRateLimiter({ redis: runtime.redis, log: runtime.log, windowMs, instances: 1 });
  const { app } = await buildApi(runtime, limiter, config, mounts);
  await app.ready();
  if (runtime.redis.status !== 'ready') await new Promise((resolve) => runtime.redis.once('ready', resolve));
  return {
    app,
    runtime,
    async call(method, path, { key, body, headers, query, from } = {}) {
      const response = await app.inject({
        method,
        url: `/api/v1${path}`,
        remoteAddress: from ?? anyAddress(),
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          // Published clients send this header on every call.
          'content-type': 'application/json',
          ...headers,
        },
        ...(query ? { query } : {}),
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return toTestResponse(response);
    },
    async raw(method, path, { body, headers, from }) {
      const response = await app.inject({
        method,
        url: path,
        remoteAddress: from ?? anyAddress(),
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { payload: body }),
      });
      return toTestResponse(response);
    },
    async close() {
      await app.close();
      await runtime.close();
      await database.drop();
    },
  };
};

/** The port of an API, which listens on it from the first call on. */
export const portOf = async ({ app }: TestApi): Promise<number> => {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
};

/** An API with a database of its own, for a file that needs other options, changes the API or looks at the whole database. */
export const useOwnApi = (more: TestEnvironment = {}, options: TestApiOptions = {}): OwnTestApi =>
  useForFile(() => openTestApi(more, options));

const shared = new Map<string, Promise<TestApi>>();

/**
 * An API with a database that the test files of a worker share, by its settings: each test makes a merchant of its own. It
 * is never closed; its database ends with the run.
 */
export const useTestApi = (more: TestEnvironment = {}): TestApi => {
  const api = {} as TestApi;
  beforeAll(async () => {
    const key = JSON.stringify(more);
    const opening = shared.get(key) ?? openTestApi(more);
    shared.set(key, opening);
    // The next file tries again.
    opening.catch(() => shared.delete(key));
    Object.assign(api, await opening);
  });
  return api;
};
