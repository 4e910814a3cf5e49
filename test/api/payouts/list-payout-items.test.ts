import { makeMerchant, makePayable, sendRefund, sendSale, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { payByRail, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const makeMember = async () => {
  const made = await makePayable(api);
  const { key, affiliateId, programId, program, code } = made;
  const pay = async () => (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  const items = (id: string, query: Record<string, string> = {}) => api.call('GET', `/payouts/${id}/items`, { key, query });
  const adjust = async (amount: number, kind: string, note: string) =>
    (await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: { amount, kind, note } })).data;
  const sell = async (saleId = `sale-${unique()}`, amount = 10_000) =>
    (await sendSale(api, program, { saleId, amount, referralCode: code })).data.conversionId as string;
  return { ...made, pay, items, adjust, sell };
};

const none = { included: true, conversionId: null, externalSaleId: null, saleAmount: null, earlierPayoutId: null, note: null };
const sum = (items: { amount: number }[]) => items.reduce((total, { amount }) => total + amount, 0);

it('MO5: 200: commissions with their sales, then adjustments, newest first; they add up to the payout', async () => {
  const { conversionId, saleId, pay, items, adjust, sell } = await makeMember();
  const second = await sell('order_1042', 20_000);
  const bonus = await adjust(500, 'bonus', 'Ten sales in January');
  const payout = await pay();
  const { status, data, meta } = await items(payout.id);
  const shared = { currency: 'usd', createdAt: expect.any(String), includedIn: payout.id };
  expect([status, meta.total, data]).toEqual([
    200,
    3,
    [
      {
        ...{ ...none, ...shared, id: second, type: 'commission', amount: 4_000 },
        ...{ conversionId: second, externalSaleId: 'order_1042', saleAmount: 20_000 },
      },
      {
        ...{ ...none, ...shared, id: conversionId, type: 'commission', amount: 2_000 },
        ...{ conversionId, externalSaleId: saleId, saleAmount: 10_000 },
      },
      { ...none, ...shared, id: bonus.id, type: 'bonus', amount: 500, note: 'Ten sales in January' },
    ],
  ]);
  expect(sum(data)).toBe(payout.amount);
});

it('MO5: a deduction for a refund after the payout names the sale that was refunded', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'paid'));
  const { key, affiliateId, programId, program, saleId, conversionId, code, send } = await payByRail(api);
  await send();
  await sendRefund(api, program, { saleId, amount: 5_000 });
  await sendSale(api, program, { saleId: `sale-${unique()}`, amount: 20_000, referralCode: code });
  const payout = (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  const { data } = await api.call('GET', `/payouts/${payout.id}/items`, { key });
  expect(data.at(-1)).toMatchObject({
    ...{ type: 'refund', amount: -1_000, conversionId, externalSaleId: saleId, saleAmount: 10_000, note: null },
  });
  expect(sum(data)).toBe(payout.amount);
});

it('MO5: what an earlier payout had paid is an item that names it', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const payout = await payByRail(api);
  const { key, affiliateId, programId, program, saleId, code, payoutId } = payout;
  await payout.send();
  await payout.report('failed');
  await payout.report('paid');
  await sendRefund(api, program, { saleId, amount: 5_000 });
  await payout.act('resolve', { outcome: 'paid', note: 'The bank told us' });
  await sendSale(api, program, { saleId: `sale-${unique()}`, amount: 20_000, referralCode: code });
  const next = (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  const { data } = await api.call('GET', `/payouts/${next.id}/items`, { key });
  expect(data.at(-1)).toMatchObject({ type: 'earlier_payout', amount: -2_000, earlierPayoutId: payoutId, conversionId: null });
  expect(sum(data)).toBe(next.amount);
});

it('MO5: the items of a failed payout are listed as no longer included', async () => {
  const { key, pay, items } = await makeMember();
  const { id } = await pay();
  await api.call('POST', `/payouts/${id}/cancel`, { key });
  const read = () => api.call('GET', `/payouts/${id}`, { key });
  expect((await items(id)).data).toMatchObject([{ type: 'commission', amount: 2_000, included: false, includedIn: null }]);
  expect((await read()).data).toMatchObject({ retriedBy: null, replacedBy: null });
  const later = await pay();
  expect((await items(id)).data).toMatchObject([{ included: false, includedIn: later.id }]);
  expect((await read()).data).toMatchObject({ retriedBy: null, replacedBy: later.id });
});

it('MO5: pages follow each other by cursor, across both kinds', async () => {
  const { pay, items, adjust, sell } = await makeMember();
  await sell();
  await adjust(-100, 'clawback', 'x');
  const { id } = await pay();
  const all = (await items(id)).data;
  const read: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 3; page++) {
    const { data, meta } = await items(id, { limit: '1', ...(cursor === undefined ? {} : { cursor }) });
    read.push(...data);
    cursor = meta.nextCursor;
  }
  expect([read, cursor]).toEqual([all, undefined]);
});

it('MO5: 403 for the payout of another merchant, 404 for a missing one', async () => {
  const { items, pay } = await makeMember();
  const { id } = await pay();
  const stranger = await makeMerchant(api.runtime);
  expect((await api.call('GET', `/payouts/${id}/items`, { key: stranger.key })).status).toBe(403);
  expect((await items(MISSING_ID)).status).toBe(404);
  expect((await items('x')).status).toBe(400);
});
