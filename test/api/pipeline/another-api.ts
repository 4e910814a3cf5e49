import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import { subscribeToInvalidation } from '../../../src/api/cache-invalidation.ts';
import { buildApi } from '../../../src/api/server.ts';
import { RATE_WINDOW_MS } from '../../../src/contracts/limits.ts';
import type { ApiKeyCache } from '../../../src/domains/auth/index.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import { openRuntime, type Runtime } from '../../../src/runtime.ts';
import { anyAddress, type TestEnvironment, type TestResponse, testConfig, toTestResponse } from '../../support/api.ts';

export interface AnotherApi {
  app: FastifyInstance;
  runtime: Runtime;
  keys: ApiKeyCache;
  get(path: string, key?: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(path: string, key?: string, body?: unknown): Promise<TestResponse>;
  call(method: 'DELETE', path: string, key: string): Promise<TestResponse>;
  close(): Promise<void>;
}

/** A client whose first connection timed out on a busy machine connects again by itself. */
const untilReady = async (client: Redis): Promise<void> => {
  if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
};

/** Another API on an existing database and Redis, or on unavailable ones. */
export const openAnotherApi = async (
  databaseUrl: string,
  { env = {}, windowMs = RATE_WINDOW_MS, redisUrl }: { env?: TestEnvironment; windowMs?: number; redisUrl?: string } = {},
): Promise<AnotherApi> => {
  const config = testConfig(databaseUrl, { ...env, ...(redisUrl ? { REDIS_URL: redisUrl } : {}) });
  const runtime = await openRuntime(config, 'another');
  const limiter = createRateLimiter({ redis: runtime.redis, log: runtime.log, windowMs, instances: config.API_INSTANCES });
  const { app, keys } = await buildApi(runtime, limiter, config);
  const news = subscribeToInvalidation(config.REDIS_URL, keys, runtime.log);
  await app.ready();
  if (!env['REDIS_URL']) await Promise.all([runtime.redis, news].map(untilReady));
  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    key: string | undefined,
    more: object,
  ): Promise<TestResponse> => {
    const headers = {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...('headers' in more ? (more.headers as object) : {}),
    };
    return toTestResponse(await app.inject({ method, url: `/api/v1${path}`, remoteAddress: anyAddress(), ...more, headers }));
  };
  return {
    app,
    runtime,
    keys,
    get: (path, key, headers = {}) => call('GET', path, key, { headers }),
    call: (method, path, key) => call(method, path, key, {}),
    post: (path, key, body = {}) => call('POST', path, key, { payload: body as object }),
    async close() {
      await app.close();
      news.disconnect();
      await runtime.close();
    },
  };
};

export interface Line {
  url: string;
  /** Stops passing data, without closing connections. */
  freeze(): void;
  thaw(): void;
  close(): void;
}

/** A TCP proxy that can stop passing data, as a network does. */
export const openLine = async (serviceUrl: string): Promise<Line> => {
  const service = new URL(serviceUrl);
  const pairs = new Set<[Socket, Socket]>();
  let frozen = false;
  const join = ([near, far]: [Socket, Socket]) => {
    near.pipe(far);
    far.pipe(near);
  };
  const part = ([near, far]: [Socket, Socket]) => {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.unpipe(to).pause();
  };
  const server = createServer((near) => {
    const far = connect(Number(service.port), service.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    if (!frozen) join(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serviceUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    freeze() {
      frozen = true;
      for (const pair of pairs) part(pair);
    },
    thaw() {
      frozen = false;
      for (const pair of pairs) join(pair);
    },
    close() {
      for (const sockets of pairs) for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
