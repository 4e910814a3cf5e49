import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, sendSale } from '../../support/factories.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

const api = useTestApi();

const makeOwn = async () => {
  const payout = await makePayout(api);
  const own = await makeAffiliateKey(api.runtime, payout.profileId);
  const read = (id: string, query: Record<string, string> = {}) =>
    api.call('GET', `/me/payouts/${id}/items`, { key: own, query });
  return { ...payout, read };
};

it('MO5: the affiliate sees the items that the merchant sees, without notes', async () => {
  const { key, affiliateId, programId, program, code, act, read } = await makeOwn();
  await act('cancel');
  const body = { amount: 500, kind: 'bonus', note: 'For our records' };
  await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body });
  await sendSale(api, program, { saleId: 'order_1042', amount: 10_000, referralCode: code });
  const { id } = (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  const theirs = (await api.call('GET', `/payouts/${id}/items`, { key })).data;
  const mine = await read(id);
  expect([mine.status, mine.meta.total, mine.data]).toEqual([
    200,
    3,
    theirs.map(({ note: _note, includedIn: _includedIn, ...item }: Record<string, unknown>) => item),
  ]);
  expect(mine.data).toMatchObject([{ externalSaleId: 'order_1042', amount: 2_000 }, { amount: 2_000 }, { type: 'bonus' }]);
  expect(mine.text).not.toContain('For our records');
  const first = await read(id, { limit: '2' });
  expect((await read(id, { limit: '2', cursor: first.meta.nextCursor })).data).toEqual(mine.data.slice(2));
});

it("MO5: 403 for another affiliate's payout, 404 for a missing one", async () => {
  const [{ read }, theirs] = [await makeOwn(), await makePayout(api)];
  expect((await read(theirs.payoutId)).status).toBe(403);
  expect((await read(MISSING_ID)).status).toBe(404);
  expect((await read('x')).status).toBe(400);
});
