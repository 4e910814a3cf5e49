import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendRefund } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi({}, { asOwner: true });

const makeMember = async () => {
  const made = await makePayable(api);
  const { key, affiliateId, programId } = made;
  const path = `/affiliates/${affiliateId}/adjustments`;
  const adjust = async (amount: number, kind: string) =>
    (await api.call('POST', path, { key, body: { amount, kind, note: `${kind} ${amount}` } })).data;
  const list = (query: Record<string, string> = {}) => api.call('GET', path, { key, query });
  const pay = async () => (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  return { ...made, adjust, list, pay };
};

it('200: newest first, with exact totals, in pages', async () => {
  const { adjust, list } = await makeMember();
  const made = [await adjust(300, 'bonus'), await adjust(-100, 'clawback'), await adjust(-5, 'correction')].reverse();
  const all = await list();
  expect([all.status, all.data, all.meta.total]).toEqual([200, made, 3]);
  const first = await list({ limit: '2' });
  expect([first.data, first.meta.hasMore]).toEqual([made.slice(0, 2), true]);
  expect((await list({ limit: '2', cursor: first.meta.nextCursor })).data).toEqual(made.slice(2));
  expect(await list({ page: '2', pageSize: '2' })).toMatchObject({ data: made.slice(2), meta: { total: 3, page: 2 } });
  expect(await list({ offset: '5' })).toMatchObject({ data: [], meta: { total: 3 } });
});

it('an affiliate without adjustments has an empty list; deductions for refunds are not listed', async () => {
  const { list, pay, program, saleId } = await makeMember();
  expect(await list()).toMatchObject({ status: 200, data: [], meta: { total: 0, hasMore: false } });
  await pay();
  await sendRefund(api, program, { saleId, amount: 5_000 });
  expect((await list()).data).toEqual([]);
});

it('payoutId names the payout that includes the adjustment, and is null again once it failed', async () => {
  const { key, adjust, list, pay } = await makeMember();
  await adjust(300, 'bonus');
  const { id } = await pay();
  expect((await list()).data).toMatchObject([{ amount: 300, payoutId: id }]);
  await api.call('POST', `/payouts/${id}/cancel`, { key });
  expect((await list()).data).toMatchObject([{ amount: 300, payoutId: null }]);
});

it('a page is read from an index, in order', async () => {
  const { affiliateId, adjust } = await makeMember();
  await adjust(100, 'bonus');
  await rowsOf(
    api,
    `insert into commission_adjustment (id, affiliate_id, kind, amount, note, created_by, created_at)
     select gen_random_uuid(), case when n % 2 = 0 then ?::uuid else gen_random_uuid() end, 'bonus', 1, 'x', 'system:test',
       now() - n * interval '1 minute' from generate_series(1, 4000) n`,
    [affiliateId],
  );
  await rowsOf(api, 'analyze commission_adjustment');
  const plan = JSON.stringify(
    await rowsOf(
      api,
      `explain (format json) select id from commission_adjustment where affiliate_id = ? and kind is not null
       order by created_at desc, id desc limit 21`,
      [affiliateId],
    ),
  );
  expect(plan).toContain('commission_adjustment_manual');
  expect(plan).not.toContain('Sort');
});

it('404 for a missing affiliate, 403 for that of another merchant, 400 for an unknown parameter', async () => {
  const { key, list } = await makeMember();
  const other = await makeMember();
  const statusAt = async (id: string) => (await api.call('GET', `/affiliates/${id}/adjustments`, { key })).status;
  expect([await statusAt(MISSING_ID), await statusAt(other.affiliateId)]).toEqual([404, 403]);
  expect((await list({ kind: 'bonus' })).status).toBe(400);
});
