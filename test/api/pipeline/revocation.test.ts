import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { SLOW_DATABASE, type TestResponse, useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { pause, until } from '../../support/until.ts';
import { type AnotherApi, openAnotherApi } from './another-api.ts';
import { type OwnRedis, startOwnRedis } from './own-redis.ts';
import { system } from './support.ts';

let redis: OwnRedis;
let processes: [AnotherApi, AnotherApi];
// Hooks run in this order: the processes end before the database is dropped.
afterAll(async () => {
  for (const process of processes) await process.close();
  await redis.close();
});
const api = useTestApi();
beforeAll(async () => {
  redis = await startOwnRedis();
  const open = () => openAnotherApi(api.runtime.config.DATABASE_URL, { env: SLOW_DATABASE, redisUrl: redis.url });
  processes = [await open(), await open()];
});

const statuses = (key: string): Promise<number[]> =>
  Promise.all(processes.map(async (process) => (await process.get('/me', key)).status));

/** A key that both processes have cached, and the merchant's key that may revoke it. */
const cachedKey = async (expiresAt?: Date) => {
  const { merchantId, key: master } = await makeMerchant(api.runtime);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: merchantId, ...(expiresAt ? { expiresAt } : {}) });
  expect(await statuses(key)).toEqual([200, 200]);
  return { master, key, keyId };
};

const revoke = (master: string, keyId: string): Promise<TestResponse> =>
  processes[0].call('DELETE', `/auth/keys/${keyId}`, master);

/** The clock of the caches stands still, by default where it is: then only news of a revocation removes a key. */
const untilRejected = async (key: string, aheadMs = 0): Promise<number[]> => {
  const { now } = performance;
  const stopped = performance.now() + aheadMs;
  performance.now = () => stopped;
  try {
    return await until(
      'both processes reject the key',
      () => statuses(key),
      (seen) => seen.every((status) => status === 401),
    );
  } finally {
    performance.now = now;
  }
};

test('a revoked key is rejected at once by every process, even if cached', async () => {
  const { master, key, keyId } = await cachedKey();
  expect((await revoke(master, keyId)).status).toBe(200);
  expect(await untilRejected(key)).toEqual([401, 401]);
});

test('a key that was never used before its revocation is rejected', async () => {
  const { merchantId, key: master } = await makeMerchant(api.runtime);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: merchantId });
  await revoke(master, keyId);
  expect(await statuses(key)).toEqual([401, 401]);
});

test('a process that loses its key-invalidation subscription discards its cache', async () => {
  const { master, key, keyId } = await cachedKey();
  await redis.ask.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await revoke(master, keyId);
  expect(await untilRejected(key)).toEqual([401, 401]);
});

test('an expired key is rejected from its expiry on, even if cached', async () => {
  const expiresAt = new Date(Date.now() + 4_000);
  const { key } = await cachedKey(expiresAt);
  await pause(expiresAt.getTime() - Date.now() + 5, 'the key expires');
  expect(await statuses(key)).toEqual([401, 401]);
});

test('other keys of the same owner stay valid', async () => {
  const { master, keyId } = await cachedKey();
  await revoke(master, keyId);
  expect(await statuses(master)).toEqual([200, 200]);
});

test('while Redis is unavailable, a revocation takes effect within five seconds', async () => {
  const { master, key, keyId } = await cachedKey();
  await redis.kill();
  expect((await revoke(master, keyId)).status).toBe(200);
  const seen = await untilRejected(key, 5_000);
  await redis.start();
  expect(seen).toEqual([401, 401]);
});

test('the last use is recorded once a minute at most', async () => {
  const { key, keyId } = await cachedKey();
  const lastUse = async () =>
    (
      await firstRow(
        api.runtime.context(system).em,
        sql<{ at: string | null }>`select last_used_at::text as at from api_key where id = ${keyId}::uuid`,
      )
    )?.at;
  const first = await until('the first use is recorded', lastUse);
  for (let time = 0; time < 5; time++) await statuses(key);
  await pause(100, 'another use would be recorded after its response');
  expect(await lastUse()).toBe(first);
});

test('H7: descendants that are revoked with a key are rejected at once by every process', async () => {
  const { merchantId, key: master } = await makeMerchant(api.runtime);
  const parent = await makeKey(api.runtime, { ownerId: merchantId });
  const made = await api.call('POST', '/auth/keys', { key: parent.key, body: { name: 'Child', scopes: ['merchant:manage'] } });
  const child: string = made.data.value;
  expect(await statuses(child)).toEqual([200, 200]);
  expect((await processes[0].call('DELETE', `/auth/keys/${parent.keyId}?descendants=true`, master)).status).toBe(200);
  expect(await untilRejected(child)).toEqual([401, 401]);
});
