import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';
import { makeFlag, raise } from '../../support/flags.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });

const list = (key: string, query: Record<string, string> = {}) => api.call('GET', '/flags', { key, query });
const idsOf = async (key: string, query: Record<string, string> = {}) =>
  (await list(key, query)).data.map(({ id }: { id: string }) => id);

/** Two affiliates in two programs, three flags, one of them resolved. */
const setUp = async () => {
  const own = await makeFlag(api);
  const second = await raise(api, own, { type: 'conversion_anomaly' });
  await api.call('POST', `/flags/${second.flagId}/resolve`, { key: own.key, body: { status: 'reviewed' } });
  const { programId } = await makeProgram(api, own.key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const other = await raise(api, { ...own, programId, affiliateId }, { conversionIds: [] });
  return { ...own, other: { programId, affiliateId, flagId: other.flagId }, reviewed: second.flagId };
};

test('flags are listed newest first and filtered', async () => {
  const { key, flagId, affiliateId, programId, reviewed, other } = await setUp();
  expect(await idsOf(key)).toEqual([other.flagId, reviewed, flagId]);
  expect(await idsOf(key, { status: 'open' })).toEqual([other.flagId, flagId]);
  expect(await idsOf(key, { status: 'reviewed' })).toEqual([reviewed]);
  expect(await idsOf(key, { type: 'self_referral' })).toEqual([other.flagId, flagId]);
  expect(await idsOf(key, { affiliateId })).toEqual([reviewed, flagId]);
  expect(await idsOf(key, { programId: other.programId })).toEqual([other.flagId]);
  expect(await idsOf(key, { programId, status: 'open', type: 'self_referral', affiliateId })).toEqual([flagId]);
  const total = async (query: Record<string, string>) => (await list(key, query)).meta.total;
  expect([await total({}), await total({ status: 'open' }), await total({ type: 'conversion_anomaly' })]).toEqual([3, 2, 1]);
});

test('pages by cursor cover every flag once', async () => {
  const { key, flagId, reviewed, other } = await setUp();
  const first = await list(key, { limit: '2' });
  const second = await list(key, { limit: '2', cursor: first.meta.nextCursor });
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([other.flagId, reviewed, flagId]);
  expect(second.meta).toMatchObject({ hasMore: false, total: 3 });
});

test("another merchant's affiliate, program and flags are an empty page", async () => {
  const { affiliateId, programId } = await setUp();
  const { key } = await makeMerchant(api.runtime);
  const queries: Record<string, string>[] = [{}, { affiliateId }, { programId }, { affiliateId: randomUUID() }];
  for (const query of queries) expect(await idsOf(key, query)).toEqual([]);
});

test.each([
  ['status', 'closed'],
  ['type', 'fraud'],
  ['affiliateId', 'ada'],
  ['programId', '1'],
  ['limit', '101'],
  ['sort', 'dueAt'],
])('400 for a bad %s', async (path, value) => {
  const { key } = await makeMerchant(api.runtime);
  const response = await list(key, { [path]: value });
  expect([response.status, response.error.details.issues[0].path]).toEqual([400, path]);
});
