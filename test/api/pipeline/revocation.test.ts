import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { type TestResponse, useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
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
  const open = () => openAnotherApi(api.runtime.config.DATABASE_URL, { redisUrl: redis.url });
  processes = [await open(), await open()];
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const statuses = (key: string): Promise<number[]> =>
  Promise.all(processes.map(async (process) => (await process.get('/me', key)).status));

/** A key that both processes know, and the merchant's key that may revoke it. */
const knownKey = async (expiresAt?: Date) => {
  const { merchantId, key: master } = await makeMerchant(api.runtime);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: merchantId, ...(expiresAt ? { expiresAt } : {}) });
  expect(await statuses(key)).toEqual([200, 200]);
  return { master, key, keyId };
};

const revoke = (master: string, keyId: string): Promise<TestResponse> =>
  processes[0].call('DELETE', `/auth/keys/${keyId}`, master);

/** The news travels through Redis: at once is well within a second. */
const refusedWithin = async (key: string, ms: number): Promise<number[]> => {
  const end = Date.now() + ms;
  for (;;) {
    const seen = await statuses(key);
    if (seen.every((status) => status === 401) || Date.now() > end) return seen;
    await pause(10);
  }
};

test('a revoked key is refused at once by every process, also by one that knew it', async () => {
  const { master, key, keyId } = await knownKey();
  expect((await revoke(master, keyId)).status).toBe(200);
  expect(await refusedWithin(key, 1_000)).toEqual([401, 401]);
});

test('a key that was never used before its revocation is refused', async () => {
  const { merchantId, key: master } = await makeMerchant(api.runtime);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: merchantId });
  await revoke(master, keyId);
  expect(await statuses(key)).toEqual([401, 401]);
});

test('a process that lost its line to the news trusts nothing it knew before', async () => {
  const { master, key, keyId } = await knownKey();
  await redis.ask.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await revoke(master, keyId);
  expect(await refusedWithin(key, 1_500)).toEqual([401, 401]);
});

test('an expired key is refused from that moment on, also by processes that knew it', async () => {
  const expiresAt = new Date(Date.now() + 1_500);
  const { key } = await knownKey(expiresAt);
  await pause(expiresAt.getTime() - Date.now() + 5);
  expect(await statuses(key)).toEqual([401, 401]);
});

test('other keys of the same owner go on', async () => {
  const { master, keyId } = await knownKey();
  await revoke(master, keyId);
  expect(await statuses(master)).toEqual([200, 200]);
});

test('while Redis is away, a revocation is known everywhere after five seconds at most', async () => {
  const { master, key, keyId } = await knownKey();
  await redis.kill();
  expect((await revoke(master, keyId)).status).toBe(200);
  const seen = await refusedWithin(key, 5_500);
  await redis.start();
  expect(seen).toEqual([401, 401]);
});

test('the last use is written, once a minute at most', async () => {
  const { key, keyId } = await knownKey();
  const lastUse = async () =>
    (
      await firstRow(
        api.runtime.context(system).em,
        sql<{ at: string | null }>`select last_used_at::text as at from api_key where id = ${keyId}::uuid`,
      )
    )?.at;
  for (let time = 0; time < 50 && !(await lastUse()); time++) await pause(20);
  const first = await lastUse();
  expect(first).toEqual(expect.any(String));
  for (let time = 0; time < 5; time++) await statuses(key);
  await pause(100);
  expect(await lastUse()).toBe(first);
});
