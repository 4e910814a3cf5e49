import { findWrongConversionSums } from '../../../src/audit/ledger.ts';
import type { Period } from '../../../src/contracts/conversions.ts';
import { getProgramStats } from '../../../src/domains/conversions/lists/stats.queries.ts';
import { addUpConversions } from '../../../src/domains/conversions/use-cases/add-up-conversions.ts';
import { billingMonth } from '../../../src/domains/merchants/billing-month.rules.ts';
import { findMonthlyRevenue } from '../../../src/domains/merchants/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendRefund, sendSale, unique } from '../../support/factories.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const at = (now: Date | string) => ({ ...context(), clock: { now: () => new Date(now) } });

type Seller = Awaited<ReturnType<typeof makePayable>>;

/** Sales of one program at the given times; returns their amounts, one for each time. */
const sellAt = async ({ program, code }: Seller, times: readonly number[]): Promise<number[]> => {
  const sold: number[] = [];
  for (const [n, time] of times.entries()) {
    const amount = 2 ** n;
    const { data } = await sendSale(api, program, { referralCode: code, amount });
    const created = new Date(time).toISOString();
    await execute(
      context().em,
      sql`update conversion set created_at = ${created}::timestamptz where id = ${data.conversionId}::uuid`,
    );
    sold.push(amount);
  }
  return sold;
};

/** Long past: the sale that each seller begins with is in none of these months. */
const ZONES: [string, string][] = [
  ['UTC', '2025-02-15T12:00:00Z'],
  ['Europe/Berlin', '2025-03-31T00:30:00+02:00'],
  ['America/Los_Angeles', '2025-11-15T12:00:00-08:00'],
  ['Asia/Kolkata', '2025-02-15T12:00:00+05:30'],
  ['Asia/Kathmandu', '2025-02-15T12:00:00+05:45'],
  ['Australia/Lord_Howe', '2025-04-06T01:45:00+10:30'],
  ['Australia/Lord_Howe', '2025-10-05T02:45:00+11:00'],
];

it.each(ZONES)('the month of %s at %s is exact to the millisecond, before and after it is added up', async (timezone, now) => {
  const seller = await makePayable(api);
  const { from, to } = billingMonth(new Date(now), timezone);
  const [start, end] = [from.getTime(), to.getTime()];
  const merchant = { id: seller.merchantId, billingTier: 'free', timezone } as const;
  // Powers of two: each set of sales has its own sum.
  const sold = await sellAt(seller, [start - 1, start, start + 40 * MINUTE_MS, start + 3 * DAY_MS, end - 1, end]);
  const revenue = () => findMonthlyRevenue(at(now), merchant);
  const expected = [{ currency: 'usd', monthlyRevenue: sold.slice(1, -1).reduce((sum, amount) => sum + amount, 0) }];
  expect(await revenue()).toEqual(expected);
  await addUpConversions(context());
  expect(await revenue()).toEqual(expected);
});

it('statistics of a period are exact at an end within a quarter of an hour, before and after they are added up', async () => {
  const seller = await makePayable(api);
  const now = Date.parse('2025-11-15T12:07:31.004Z');
  const start = now - 7 * DAY_MS;
  await sellAt(seller, [start - 1, start, start + MINUTE_MS, start + 20 * MINUTE_MS, start + DAY_MS, now]);
  const actor = { kind: 'key', keyType: 'merchant', keyId: seller.keyId, ownerId: seller.merchantId, scopes: [] } as const;
  const stats = (period: Period) =>
    getProgramStats({ ...api.runtime.context(actor), clock: { now: () => new Date(now) } }, seller.programId, period);
  const before = await stats('7d');
  expect(before).toMatchObject({ totalRevenue: 2 + 4 + 8 + 16 + 32 + 10_000, totalConversions: 6 });
  const all = await stats('all');
  expect(all).toMatchObject({ totalRevenue: 63 + 10_000, totalConversions: 7 });
  await addUpConversions(context());
  expect(await stats('7d')).toEqual(before);
  expect(await stats('all')).toEqual(all);
});

it('a refund lowers the day of its sale, however late it is', async () => {
  const seller = await makePayable(api);
  const saleId = unique();
  await sendSale(api, seller.program, { referralCode: seller.code, saleId, amount: 4_000 });
  await addUpConversions(context());
  await sendRefund(api, seller.program, { saleId, amount: 1_500 });
  const revenue = async () => (await api.call('GET', '/billing', { key: seller.key })).data.monthlyRevenue;
  expect(await revenue()).toBe(10_000 + 2_500);
  await addUpConversions(context());
  expect(await revenue()).toBe(10_000 + 2_500);
});

it('sales and refunds that come while changes are added up, by several processes, are neither lost nor counted twice', async () => {
  const sellers = [await makePayable(api), await makePayable(api)];
  let selling = true;
  const adding = Array.from({ length: 2 }, async () => {
    while (selling) await addUpConversions(context());
  });
  const sell = async ({ program, code }: Seller) => {
    const saleId = unique();
    await sendSale(api, program, { referralCode: code, saleId, amount: 1_000 });
    await sendRefund(api, program, { saleId, amount: 100 });
  };
  try {
    for (let round = 0; round < 5; round++) {
      await Promise.all(sellers.flatMap((seller) => [sell(seller), sell(seller)]));
      const seen = await Promise.all(sellers.map(({ key }) => api.call('GET', '/billing', { key })));
      const expected = 10_000 + (round + 1) * 2 * 900;
      expect(seen.map(({ data }) => data.monthlyRevenue)).toEqual([expected, expected]);
    }
  } finally {
    selling = false;
    await Promise.all(adding);
  }
  await addUpConversions(context());
  expect(await addUpConversions(context())).toBe(0);
  expect(await findWrongConversionSums(context())).toEqual([]);
});

it('a round that fails changes nothing, and the next one adds', async () => {
  const seller = await makePayable(api);
  const failing = inTransaction(context(), async (ctx) => {
    expect(await addUpConversions(ctx)).toBeGreaterThanOrEqual(1);
    throw new Error('the process ends');
  });
  await expect(failing).rejects.toThrow('the process ends');
  expect(await findWrongConversionSums(context())).toEqual([]);
  expect(await addUpConversions(context())).toBeGreaterThanOrEqual(1);
  expect((await api.call('GET', '/billing', { key: seller.key })).data.monthlyRevenue).toBe(10_000);
});

it('sales of one program do not wait for each other, nor for the sums', async () => {
  const { conversionId, program, code } = await makePayable(api);
  const { data } = await sendSale(api, program, { referralCode: code });
  const change = (ctx: ReturnType<typeof context>, id: string) =>
    execute(ctx.em, sql`update conversion set refunded = refunded + 1 where id = ${id}::uuid`);
  await inTransaction(context(), async (one) => {
    await change(one, conversionId);
    await inTransaction(context(), async (other) => {
      await execute(other.em, sql`set local lock_timeout = '2s'`);
      await change(other, data.conversionId);
      await addUpConversions(other);
    });
  });
  expect(await findWrongConversionSums(context())).toEqual([]);
});

it('quarters of an hour are removed after 100 days, and the sums of days stay', async () => {
  const seller = await makePayable(api);
  await sellAt(seller, [Date.now() - 101 * DAY_MS]);
  await addUpConversions(context());
  const spans = () =>
    rows(
      context().em,
      sql<{
        span: string;
      }>`select distinct span from conversion_sum where merchant_id = ${seller.merchantId}::uuid and program_id <> ${seller.programId}::uuid
        and starts_at > '-infinity' and starts_at < now() - interval '100 days' order by span`,
    );
  expect(await spans()).toEqual([{ span: 'day' }, { span: 'quarter' }]);
  await rows(context().em, sql`select delete_expired_windows(10000)`);
  expect(await spans()).toEqual([{ span: 'day' }]);
  expect(await findWrongConversionSums(context())).toEqual([]);
});
