import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  refundEvent,
  saleEvent,
  sendEvent,
  sendRefund,
  sendReversal,
  sendSale,
  unique,
} from '../../support/factories.ts';
import { until } from '../../support/until.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

interface RefundIds {
  saleId: string;
  refundId: string;
}

const setUp = async (settings: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, settings);
  const { programId } = program;
  const affiliate = await makeAffiliate(api.runtime, programId);
  const { key } = merchant;
  const ids = () => ({ saleId: `sale-${unique()}`, refundId: `refund-${unique()}` });
  const sell = async () => {
    const of = ids();
    const { data } = await sendSale(api, program, { saleId: of.saleId, referralCode: affiliate.code });
    return { ...of, conversionId: data.conversionId as string };
  };
  // The same for a repeat.
  const refundedAt = new Date(Date.now() + 60_000).toISOString();
  const refund = async ({ saleId, refundId }: RefundIds, amount: number) => {
    const response = await sendRefund(api, program, { saleId, refundId, amount, occurredAt: refundedAt });
    expect(response.status).toBe(200);
  };
  const reverse = ({ saleId, refundId }: RefundIds) => sendReversal(api, program, { saleId, refundId });
  const conversionOf = async (conversionId: string) => (await api.call('GET', `/conversions/${conversionId}`, { key })).data;
  // An event is listed once no transaction is open that began before its own, of other tests too.
  const eventsOf = async (type: string) => {
    const list = () => api.call('GET', '/events', { key, query: { types: type } });
    const { data: events } = await until(`an event ${type} is listed`, list, ({ data }) => data.length > 0);
    return events.map(({ data }: { data: unknown }) => data);
  };
  const balance = async () => {
    const [row] = await rows(
      context().em,
      sql<{ pending: number; payable: number; inPayout: number; paid: number }>`
        select pending::int, payable::int, in_payout::int as "inPayout", paid::int from ledger_balance
        where affiliate_id = ${affiliate.affiliateId}::uuid`,
    );
    return row;
  };
  return { ...merchant, program, programId, ...affiliate, ids, sell, refund, reverse, conversionOf, eventsOf, balance };
};

afterEach(async () => {
  expect(await verifyLedger(context())).toEqual([]);
});

it('gives back a pending commission, tells it by the extended event, and a repeat changes nothing', async () => {
  const { sell, refund, reverse, conversionOf, eventsOf, balance } = await setUp({ commissionHoldDays: 30 });
  const sale = await sell();
  await refund(sale, 10_000);
  expect(await conversionOf(sale.conversionId)).toMatchObject({ commission: 0, status: 'refunded', refundedAmount: 10_000 });
  expect((await reverse(sale)).data).toEqual({ outcome: 'recorded', conversionId: sale.conversionId });
  expect((await reverse(sale)).data).toEqual({ outcome: 'duplicate', conversionId: sale.conversionId });
  expect(await conversionOf(sale.conversionId)).toMatchObject({ commission: 2_000, status: 'pending', refundedAmount: 0 });
  expect(await balance()).toMatchObject({ pending: 2_000, payable: 0 });
  expect(await eventsOf('conversion.refund_reversed')).toMatchObject([
    { id: sale.conversionId, reversedAmount: 10_000, commissionIncrease: 2_000, commission: 2_000, commissionAmount: 2_000 },
  ]);
});

it('an affiliate earns the same again: totals of conversions, revenue and earnings are as before the refund', async () => {
  const { sell, refund, reverse, key, affiliateId } = await setUp();
  const totalsOf = async () => {
    const { totalConversions, totalRevenue, totalEarnings } = (await api.call('GET', `/affiliates/${affiliateId}`, { key })).data;
    return { totalConversions, totalRevenue, totalEarnings };
  };
  const sale = await sell();
  const before = await totalsOf();
  await refund(sale, 4_000);
  expect(await totalsOf()).not.toEqual(before);
  await reverse(sale);
  expect(await totalsOf()).toEqual(before);
});

describe('a commission that a payout has', () => {
  const pay = async ({ key, affiliateId, programId }: Awaited<ReturnType<typeof setUp>>) => {
    const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    const act = (verb: string) => api.call('POST', `/payouts/${data.id}/${verb}`, { key });
    return { payoutId: data.id as string, amount: data.amount as number, act };
  };

  it('a refund before the payout, which fails after it, is paid by the next one', async () => {
    const made = await setUp();
    const sale = await made.sell();
    await made.refund(sale, 4_000);
    const first = await pay(made);
    for (const verb of ['process', 'complete']) await first.act(verb);
    expect(first.amount).toBe(1_200);
    await made.reverse(sale);
    expect(await made.balance()).toEqual({ pending: 0, payable: 800, inPayout: 0, paid: 1_200 });
    await made.sell();
    expect((await pay(made)).amount).toBe(2_800);
  });

  it('a refund after the payout, which fails before the next one, deducts nothing from it', async () => {
    const made = await setUp();
    const sale = await made.sell();
    const first = await pay(made);
    for (const verb of ['process', 'complete']) await first.act(verb);
    await made.refund(sale, 10_000);
    expect(await made.balance()).toMatchObject({ payable: -2_000, paid: 2_000 });
    await made.reverse(sale);
    expect(await made.balance()).toMatchObject({ payable: 0, paid: 2_000 });
    await made.sell();
    expect((await pay(made)).amount).toBe(2_000);
  });

  it('a refund whose deduction was taken is paid again', async () => {
    const made = await setUp();
    const sale = await made.sell();
    const first = await pay(made);
    for (const verb of ['process', 'complete']) await first.act(verb);
    await made.refund(sale, 5_000);
    await made.sell();
    const second = await pay(made);
    expect(second.amount).toBe(1_000);
    await made.reverse(sale);
    expect(await made.balance()).toMatchObject({ payable: 1_000, inPayout: 1_000, paid: 2_000 });
    expect(await made.conversionOf(sale.conversionId)).toMatchObject({ commission: 2_000, status: 'approved' });
  });

  it('a payout that fails gives back the commission, with what was given back meanwhile', async () => {
    const made = await setUp();
    const sale = await made.sell();
    await made.refund(sale, 4_000);
    const first = await pay(made);
    await made.reverse(sale);
    await first.act('cancel');
    expect(await made.balance()).toEqual({ pending: 0, payable: 2_000, inPayout: 0, paid: 0 });
    expect((await pay(made)).amount).toBe(2_000);
  });
});

it('a sale, its refunds and their reversals lead to the same books in every order', async () => {
  const { program, code, ids, programId } = await setUp({ commissionHoldDays: 30 });
  const order = fc.shuffledSubarray([0, 1, 2, 3, 1, 3], { minLength: 6 });
  await fc.assert(
    fc.asyncProperty(order, async (places) => {
      const of = ids();
      const kept = `refund-${unique()}`;
      const reversal = { type: 'sale.refund_reversed', timestamp: new Date().toISOString(), data: of };
      const events = [
        saleEvent({ saleId: of.saleId, referralCode: code }),
        refundEvent({ ...of, amount: 5_000 }),
        refundEvent({ saleId: of.saleId, refundId: kept, amount: 2_500 }),
        reversal,
      ];
      for (const place of places) expect((await sendEvent(api, program, events[place])).status).toBe(200);
      const found = await rows(
        context().em,
        sql`select s.refunded::int, c.commission::int, c.status from sale s join conversion c on c.sale_id = s.id
          where s.program_id = ${programId}::uuid and s.external_id = ${of.saleId}`,
      );
      expect(found).toEqual([{ refunded: 2_500, commission: 1_500, status: 'partially_refunded' }]);
    }),
    { numRuns: 15 },
  );
}, 60_000);

it('a reversal and its refund at the same time take nothing', async () => {
  const { sell, refund, reverse, conversionOf } = await setUp({ commissionHoldDays: 30 });
  for (let round = 0; round < 5; round++) {
    const sale = await sell();
    await Promise.all([refund(sale, 5_000), reverse(sale), reverse(sale), refund(sale, 5_000)]);
    expect(await conversionOf(sale.conversionId)).toMatchObject({ refundedAmount: 0, commission: 2_000 });
  }
});

it('a reversal that names another sale than its refund is 409 and changes nothing', async () => {
  const { sell, refund, reverse, conversionOf } = await setUp({ commissionHoldDays: 30 });
  const [sale, other] = [await sell(), await sell()];
  await refund(sale, 5_000);
  const response = await reverse({ saleId: other.saleId, refundId: sale.refundId });
  expect([response.status, response.error.details]).toMatchObject([409, { reason: 'PAYLOAD_MISMATCH', fields: ['saleId'] }]);
  expect(await conversionOf(sale.conversionId)).toMatchObject({ commission: 1_000 });
});

it('a reversal that came before its refund and names another sale is for a person, and the refund counts', async () => {
  const { sell, refund, reverse, conversionOf, key } = await setUp({ commissionHoldDays: 30 });
  const [sale, other] = [await sell(), await sell()];
  expect((await reverse({ saleId: other.saleId, refundId: sale.refundId })).data).toMatchObject({ outcome: 'waiting' });
  await refund(sale, 5_000);
  expect(await conversionOf(sale.conversionId)).toMatchObject({ commission: 1_000 });
  const { data } = await api.call('GET', '/sale-problems', { key, query: { open: 'true' } });
  expect(data).toMatchObject([{ reason: 'PAYLOAD_MISMATCH', eventType: 'sale.refund_reversed', objectId: sale.saleId }]);
});

it.each([
  ['an amount', { amount: 100 }],
  ['no refund', { refundId: undefined }],
  ['an empty sale', { saleId: ' ' }],
])('a reversal with %s is 422', async (_what, wrong) => {
  const { program, ids } = await setUp();
  const data = { ...ids(), ...wrong };
  const response = await sendEvent(api, program, { type: 'sale.refund_reversed', timestamp: new Date().toISOString(), data });
  expect([response.status, response.error.code]).toEqual([422, 'VALIDATION_ERROR']);
});
