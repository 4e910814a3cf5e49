import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendRefund } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { makePerson, sell } from '../me/support.ts';

const api = useOwnApi();

const makeEarner = async (settings: Record<string, unknown> = {}) => {
  const person = makePerson(api);
  const own = await person.join(settings, { paypalEmail: 'ok@example.com' });
  const get = await person.call(own.profileId);
  const list = (query?: Record<string, string>) => get(`/me/earnings/${own.programId}`, query);
  const adjust = (kind: string, amount: number) =>
    api.call('POST', `/affiliates/${own.affiliateId}/adjustments`, {
      key: own.key,
      body: { kind, amount, note: 'Internal note' },
    });
  return { ...own, list, adjust };
};

test('commissions and manual adjustments are listed, newest first, without customers and notes', async () => {
  const earner = await makeEarner();
  const saleId = await sell(api, earner);
  await earner.adjust('bonus', 500);
  const response = await earner.list();
  const shared = {
    programId: earner.programId,
    currency: 'usd',
    payoutId: null,
    createdAt: expect.any(String),
    id: expect.any(String),
  };
  expect(response.data).toEqual([
    { ...shared, type: 'bonus', amount: 500, status: 'approved', saleAmount: null, refundedAmount: null, availableAt: null },
    {
      ...shared,
      type: 'commission',
      amount: 2_000,
      status: 'approved',
      saleAmount: 10_000,
      refundedAmount: 0,
      availableAt: expect.any(String),
    },
  ]);
  expect(response.meta).toMatchObject({ total: 2, hasMore: false });
  for (const secret of [saleId, 'buyer-', 'Internal note', 'customer']) expect(response.text).not.toContain(secret);
});

test('the amounts add up to the total of the balances', async () => {
  const earner = await makeEarner();
  const saleId = await sell(api, earner);
  await sell(api, earner, { amount: 5_500 });
  await sendRefund(api, earner.program, { saleId, amount: 2_500 });
  await earner.adjust('clawback', -300);
  const { data } = await earner.list();
  const sum = data.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
  const stats = await api.call('GET', `/affiliates/${earner.affiliateId}`, { key: earner.key, query: { include: 'stats' } });
  expect([sum, stats.data.stats.payable]).toEqual([2_300, 2_300]);
});

test('a commission in a completed payout is paid, and one in an open payout is not', async () => {
  const earner = await makeEarner();
  await sell(api, earner);
  const { key, affiliateId, programId } = earner;
  const { data: payout } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect((await earner.list()).data).toEqual([expect.objectContaining({ status: 'approved', payoutId: payout.id })]);
  await api.call('POST', `/payouts/${payout.id}/process`, { key });
  await api.call('POST', `/payouts/${payout.id}/complete`, { key });
  expect((await earner.list()).data).toEqual([expect.objectContaining({ status: 'paid', payoutId: payout.id })]);
});

test('pages of every style return each line once, also where both kinds have the same time', async () => {
  const earner = await makeEarner();
  for (let n = 0; n < 3; n++) {
    await sell(api, earner);
    await earner.adjust('bonus', 100);
  }
  const em = api.runtime.context({ kind: 'system', name: 'test' }).em;
  await em.execute("update conversion set created_at = '2026-01-01T00:00:00Z' where affiliate_id = ?", [earner.affiliateId]);
  const all = (await earner.list()).data.map(({ id }: { id: string }) => id);
  expect(all).toHaveLength(6);
  const walked: string[] = [];
  for (let query: Record<string, string> = { limit: '1' }; ; ) {
    const { data, meta } = await earner.list(query);
    walked.push(...data.map(({ id }: { id: string }) => id));
    if (!meta.hasMore) break;
    query = { limit: '1', cursor: meta.nextCursor };
  }
  expect(walked).toEqual(all);
  expect((await earner.list({ page: '2', pageSize: '4' })).data.map(({ id }: { id: string }) => id)).toEqual(all.slice(4));
});

test('a period leaves out what is older', async () => {
  const earner = await makeEarner();
  await sell(api, earner);
  const em = api.runtime.context({ kind: 'system', name: 'test' }).em;
  await em.execute("update conversion set created_at = now() - interval '8 days' where affiliate_id = ?", [earner.affiliateId]);
  const count = async (period: string) => (await earner.list({ period })).meta.total;
  expect([await count('7d'), await count('30d'), await count('all')]).toEqual([0, 1, 1]);
  expect((await earner.list({ period: '1d' })).status).toBe(400);
});

test("another affiliate's lines are never included", async () => {
  const theirs = await makePayable(api);
  const person = makePerson(api);
  const { profileId } = await person.joinProgram(theirs.program);
  expect((await (await person.call(profileId))(`/me/earnings/${theirs.programId}`)).data).toEqual([]);
});

test('404 for a missing program, 403 for one that the person has not joined', async () => {
  const theirs = await makePayable(api);
  const person = makePerson(api);
  const get = await person.call((await person.join()).profileId);
  expect([(await get(`/me/earnings/${MISSING_ID}`)).status, (await get(`/me/earnings/${theirs.programId}`)).status]).toEqual([
    404, 403,
  ]);
});
