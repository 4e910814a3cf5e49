import { findFreePort } from '../../../src/local/stack/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { type TestResponse, testConfig, useOwnApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import { type AnotherApi, openAnotherApi, openLine } from './another-api.ts';
import { system } from './support.ts';

const api = useOwnApi({ DATABASE_STATEMENT_TIMEOUT_MS: undefined, DATABASE_CONNECT_TIMEOUT_MS: undefined }, { asOwner: true });
let key: string;
beforeAll(async () => {
  ({ key } = await makeMerchant(api.runtime));
});

const programBody = () => ({ name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10 });

/** Decision on errors, section 2: a dependency that is down is a 500. One that is silent is a 500 only by the deadline of its calls. */
const expectFault = (response: TestResponse) => {
  expect(response).toMatchObject({
    status: 500,
    error: { code: 'INTERNAL_ERROR' },
    meta: { requestId: response.headers['x-request-id'] },
  });
  expect(response.text).not.toMatch(/postgres|ECONN|timeout|127\.0\.0\.1|sql/i);
  expect(response.headers).toMatchObject({
    'x-ratelimit-limit': expect.any(String),
    'x-ratelimit-remaining': expect.any(String),
  });
};

it('what a request waits for in a database that is silent ends within two seconds', () => {
  const { DATABASE_STATEMENT_TIMEOUT_MS, DATABASE_CONNECT_TIMEOUT_MS } = testConfig('postgres://localhost/any');
  for (const deadlineMs of [DATABASE_STATEMENT_TIMEOUT_MS, DATABASE_CONNECT_TIMEOUT_MS]) expect(deadlineMs).toBeLessThan(2_000);
});

describe('Postgres is unavailable', () => {
  let other: AnotherApi;
  beforeAll(async () => {
    // A process reads its keys at the start; from then on it lives without the database.
    const line = await openLine(api.runtime.config.DATABASE_URL);
    other = await openAnotherApi(line.url);
    line.close();
  });
  afterAll(() => other.close());

  it.each(['GET', 'POST'])('%s returns 500', async (method) => {
    expectFault(await (method === 'GET' ? other.get('/programs', key) : other.post('/programs', key, programBody())));
  });

  it('operations that need no database succeed', async () => {
    expect((await other.get('/meta')).status).toBe(200);
    expect((await other.get('/nothing')).status).toBe(404);
    expect((await other.get('/programs')).status).toBe(401);
    expect((await other.get('/programs', 'ak_live_mistyped')).status).toBe(401);
  });

  it('the process is live and not ready', async () => {
    expect((await other.app.inject('/health/live')).statusCode).toBe(200);
    const ready = await other.app.inject('/health/ready');
    expect([ready.statusCode, ready.json()]).toEqual([503, expect.objectContaining({ postgres: false, redis: true })]);
  });
});

describe('Postgres stops responding', () => {
  it('every request is 500 by a deadline, and requests succeed once it responds again', async () => {
    const line = await openLine(api.runtime.config.DATABASE_URL);
    const other = await openAnotherApi(line.url, { env: { DATABASE_POOL: '4' } });
    try {
      expect((await other.get('/programs', key)).status).toBe(200);
      line.freeze();
      // The key is cached, so that each request fails in its own query.
      for (const fault of await Promise.all([other.get('/programs', key), other.post('/programs', key, programBody())]))
        expectFault(fault);
      expectFault(await other.get('/programs', key));
      line.thaw();
      const responses = [];
      for (let time = 0; time < 8; time++) responses.push((await other.get('/programs', key)).status);
      expect(responses).toEqual(Array.from({ length: 8 }, () => 200));
    } finally {
      line.close();
      await other.close();
    }
  });

  it('an interrupted transaction leaves no state on its connection', async () => {
    const line = await openLine(api.runtime.config.DATABASE_URL);
    const other = await openAnotherApi(line.url, { env: { DATABASE_POOL: '2' } });
    const table = sql.table(`scratch_${unique()}`);
    await execute(api.runtime.context(system).em, sql`create table ${table} (n int)`);
    const halfWay = inTransaction(other.runtime.context(system), async (ctx) => {
      await execute(ctx.em, sql`insert into ${table} values (1)`);
      line.freeze();
      await execute(ctx.em, sql`insert into ${table} values (2)`);
    });
    await expect(halfWay).rejects.toThrow();
    line.thaw();
    for (let n = 10; n < 14; n++)
      await inTransaction(other.runtime.context(system), (ctx) => execute(ctx.em, sql`insert into ${table} values (${n})`));
    expect(await firstRow(api.runtime.context(system).em, sql`select array_agg(n order by n) as n from ${table}`)).toEqual({
      n: [10, 11, 12, 13],
    });
    line.close();
    await other.close();
  });
});

describe('connections are terminated', () => {
  const dying = (other: AnotherApi) =>
    inTransaction(other.runtime.context(system), async (ctx) => {
      const me = await firstRow(ctx.em, sql<{ pid: number }>`select pg_backend_pid() as pid`);
      await execute(api.runtime.context(system).em, sql`select pg_terminate_backend(${me?.pid})`);
      await firstRow(ctx.em, sql`select pg_sleep(1)`);
    });

  it('more often than the pool size: the pool keeps its size', async () => {
    const other = await openAnotherApi(api.runtime.config.DATABASE_URL, { env: { DATABASE_POOL: '2' } });
    for (let time = 0; time < 5; time++) await expect(dying(other)).rejects.toThrow();
    await Promise.all(Array.from({ length: 4 }, async () => expect(dying(other)).rejects.toThrow()));
    expect((await other.get('/programs', key)).status).toBe(200);
    expect((await other.post('/programs', key, programBody())).status).toBe(201);
    await other.close();
  });
});

describe('Redis is unavailable', () => {
  it('N7: requests succeed, and the process is ready and degraded', async () => {
    const other = await openAnotherApi(api.runtime.config.DATABASE_URL, {
      env: { REDIS_URL: `redis://127.0.0.1:${await findFreePort(0)}` },
    });
    expect(await other.get('/programs', key)).toMatchObject({ status: 200, headers: { 'x-ratelimit-limit': '1000000' } });
    const ready = await other.app.inject('/health/ready');
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      { status: 'ready', postgres: true, redis: false, degraded: ['redis'] },
    ]);
    expect(await other.runtime.metrics.registry.metrics()).toMatch(/tributary_rate_limit_fallback_total [1-9]/);
    await other.close();
  });
});
