import { remindPayout } from '../../../src/domains/payouts/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale } from '../../support/factories.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

const api = useTestApi();

/** Five affiliates with a payout each, newest last. */
const makeFive = async () => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key);
  const ids: string[] = [];
  const affiliates: string[] = [];
  for (let n = 0; n < 5; n++) {
    const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId);
    await sendSale(api, program, { amount: 10_000 + n, referralCode: code });
    const payout = await api.call('POST', '/payouts', { key: merchant.key, body: { affiliateId, programId: program.programId } });
    ids.push(payout.data.id);
    affiliates.push(affiliateId);
  }
  const list = (query: Record<string, string>) => api.call('GET', '/payouts', { key: merchant.key, query });
  return { ...merchant, ...program, ids: ids.reverse(), affiliates: affiliates.reverse(), list };
};

it('200: newest first, with each of the three paging styles and exact totals', async () => {
  const { ids, list } = await makeFive();
  const first = await list({ limit: '2' });
  expect(first.data.map((payout: { id: string }) => payout.id)).toEqual(ids.slice(0, 2));
  expect(first.meta).toMatchObject({ total: 5, page: 1, pageSize: 2, hasMore: true });
  const second = await list({ limit: '2', cursor: first.meta.nextCursor });
  expect(second.data.map((payout: { id: string }) => payout.id)).toEqual(ids.slice(2, 4));
  const third = await list({ limit: '2', cursor: second.meta.nextCursor });
  expect(third.data.map((payout: { id: string }) => payout.id)).toEqual(ids.slice(4));
  expect(third.meta).toMatchObject({ hasMore: false });
  expect(third.meta.nextCursor).toBeUndefined();
  const byPage = await list({ page: '2', pageSize: '2' });
  expect(byPage.data.map((payout: { id: string }) => payout.id)).toEqual(ids.slice(2, 4));
  const byOffset = await list({ offset: '3', limit: '2' });
  expect(byOffset.data.map((payout: { id: string }) => payout.id)).toEqual(ids.slice(3));
});

it('filters by status, program, affiliate and dates, with the total of each filter', async () => {
  const { key, programId, ids, affiliates, list } = await makeFive();
  await api.call('POST', `/payouts/${ids[0]}/cancel`, { key });
  expect((await list({ status: 'failed' })).meta.total).toBe(1);
  expect((await list({ status: 'pending' })).meta.total).toBe(4);
  expect((await list({ programId })).meta.total).toBe(5);
  expect((await list({ programId, status: 'pending' })).meta.total).toBe(4);
  expect((await list({ affiliateId: affiliates[1] ?? '' })).data).toMatchObject([{ id: ids[1] }]);
  expect((await list({ from: '2999-01-01T00:00:00Z' })).meta.total).toBe(0);
  expect((await list({ endDate: '2999-01-01T00:00:00+02:00', startDate: '2020-01-01T00:00:00Z' })).meta.total).toBe(5);
});

it('N2: filters by needsAttention, by the partial index', async () => {
  const { ids, merchantId, programId, list } = await makeFive();
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  for (const last of [false, true]) await remindPayout(ctx, { payoutId: ids[1] ?? '', reminder: last ? 2 : 1, last });
  const waiting = await list({ needsAttention: 'true' });
  expect(waiting.data).toMatchObject([{ id: ids[1], needsAttention: true }]);
  expect(waiting.meta).toMatchObject({ total: 1, hasMore: false });
  expect((await list({ needsAttention: 'false', programId })).meta.total).toBe(4);
  expect((await list({ needsAttention: 'true', status: 'failed' })).meta.total).toBe(0);
  expect((await list({ needsAttention: 'yes' })).status).toBe(400);
  const plan = await ctx.em.transactional(async (em) => {
    // A table of one page is read whole when it has statistics.
    await em.execute('set local enable_seqscan = off');
    return em.execute(
      `explain select 1 from payout where merchant_id = ? and needs_attention order by created_at desc, id desc limit 21`,
      [merchantId],
    );
  });
  expect(JSON.stringify(plan)).toContain('payout_needing_attention');
});

it('a foreign or missing id in a filter returns an empty page', async () => {
  const { list } = await makeFive();
  const other = await makePayout(api);
  const queries: Record<string, string>[] = [
    { programId: MISSING_ID },
    { programId: other.programId },
    { affiliateId: other.affiliateId },
  ];
  for (const query of queries) {
    const response = await list(query);
    expect(response).toMatchObject({ status: 200, data: [], meta: { total: 0, hasMore: false } });
  }
});

it.each<Record<string, string>>([
  { status: 'paid' },
  { limit: '0' },
  { limit: '101' },
  { page: '1', offset: '0' },
  { from: 'yesterday' },
  { colour: 'red' },
])('400 for %j', async (query) => {
  const { key } = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/payouts', { key, query });
  expect(response.status).toBe(400);
  expect(response.error.details.issues).not.toHaveLength(0);
});
