import { useTestApi } from '../../support/api.ts';
import { makeDifference } from '../../support/differences.ts';
import { makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();
const PATH = '/reconciliation/differences';

it('lists the differences of the merchant, newest first, by status, kind, rail and program', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const missing = await makeDifference(api, { merchantId });
  const amount = await makeDifference(api, { merchantId, kind: 'amount', programId });
  await makeDifference(api, { merchantId: (await makeMerchant(api.runtime)).merchantId });
  const idsOf = async (query: Record<string, string>) =>
    (await api.call('GET', PATH, { key, query })).data.map(({ id }: { id: string }) => id);
  expect(await idsOf({})).toEqual([amount, missing]);
  expect(await idsOf({ kind: 'missing_here' })).toEqual([missing]);
  expect(await idsOf({ programId })).toEqual([amount]);
  expect(await idsOf({ status: 'open', rail: 'sandbox' })).toEqual([amount, missing]);
  expect(await idsOf({ status: 'resolved' })).toEqual([]);
  expect(await idsOf({ rail: 'manual' })).toEqual([]);
});

it('refuses unknown kinds, and needs payouts:read', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  expect((await api.call('GET', PATH, { key, query: { kind: 'odd' } })).status).toBe(400);
  const other = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['programs:read'] });
  expect((await api.call('GET', PATH, { key: other.key })).error.code).toBe('INSUFFICIENT_SCOPE');
});
