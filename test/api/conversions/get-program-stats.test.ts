import type { Period } from '../../../src/contracts/conversions.ts';
import { getProgramStats } from '../../../src/domains/conversions/lists/stats.queries.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import type { Actor } from '../../../src/platform/context.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram, sendRefund, sendSale, unique } from '../../support/factories.ts';
import { makeFlag } from '../../support/flags.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();

const stats = (key: string, programId: string, query: Record<string, string> = {}) =>
  api.call('GET', `/programs/${programId}/stats`, { key, query });

const NO_CONVERSIONS = { pending: 0, approved: 0, partiallyRefunded: 0, rejected: 0, refunded: 0 };

test('a new program has zeros in its currency', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { name: 'Partners', currency: 'eur' });
  expect(await stats(key, programId)).toMatchObject({
    status: 200,
    data: {
      programId,
      programName: 'Partners',
      status: 'active',
      currency: 'eur',
      totalRevenue: 0,
      totalConversions: 0,
      totalCommissions: 0,
      pendingCommissions: 0,
      activeAffiliates: 0,
      conversionsByStatus: NO_CONVERSIONS,
    },
  });
});

test('counts by status, sums less refunds, and counts the affiliates who are approved', async () => {
  const { key, programId, program, code } = await makePayable(api);
  const [partly, fully] = [`sale-${unique()}`, `sale-${unique()}`];
  for (const saleId of [partly, fully]) await sendSale(api, program, { saleId, referralCode: code });
  await sendRefund(api, program, { saleId: partly, amount: 4_000 });
  await sendRefund(api, program, { saleId: fully, amount: 10_000 });
  await api.call('PATCH', `/programs/${programId}`, { key, body: { commissionHoldDays: 30 } });
  await sendSale(api, program, { amount: 5_000, referralCode: code });
  const blocked = await makeAffiliate(api.runtime, programId);
  await api.call('POST', `/affiliates/${blocked.affiliateId}/block`, { key });
  await sendSale(api, program, { amount: 77_000 });
  expect((await stats(key, programId)).data).toMatchObject({
    totalRevenue: 10_000 + 6_000 + 5_000,
    totalConversions: 4,
    totalCommissions: 2_000 + 1_200 + 1_000,
    pendingCommissions: 1_000,
    activeAffiliates: 1,
    conversionsByStatus: { pending: 1, approved: 1, partiallyRefunded: 1, rejected: 0, refunded: 1 },
  });
});

test('a rejected conversion is counted, and not summed', async () => {
  const { key, programId, flagId } = await makeFlag(api);
  await api.call('POST', `/flags/${flagId}/resolve`, { key, body: { status: 'confirmed' } });
  const { data } = await stats(key, programId);
  expect(data).toMatchObject({ totalRevenue: 0, totalCommissions: 0, pendingCommissions: 0, totalConversions: 1 });
  expect(data.conversionsByStatus).toEqual({ ...NO_CONVERSIONS, rejected: 1 });
});

/** The instants between which a period of days lies, at both clock changes of each time zone. */
const AT_CLOCK_CHANGES: [string, string][] = [
  ['Europe/Berlin', '2026-03-29T03:30:00+02:00'],
  ['Europe/Berlin', '2026-10-25T02:30:00+01:00'],
  ['Australia/Lord_Howe', '2026-04-05T01:45:00+10:30'],
  ['Australia/Lord_Howe', '2026-10-04T02:45:00+11:00'],
];

test.each(AT_CLOCK_CHANGES)('a period is 24 hours a day and includes its first millisecond: %s at %s', async (timezone, now) => {
  const { key, keyId, merchantId, programId, conversionId } = await makePayable(api);
  await api.call('PATCH', '/merchant', { key, body: { timezone } });
  const actor: Actor = { kind: 'key', keyType: 'merchant', keyId, ownerId: merchantId, scopes: [] };
  const ctx = () => ({ ...api.runtime.context(actor), clock: { now: () => new Date(now) } });
  const countAt = async (time: number, period: Period): Promise<number> => {
    await rowsOf(api, 'update conversion set created_at = ? where id = ?', [new Date(time).toISOString(), conversionId]);
    return (await getProgramStats(ctx(), programId, period)).totalConversions;
  };
  for (const [period, days] of Object.entries({ '7d': 7, '30d': 30, '90d': 90 }) as [Period, number][]) {
    const start = Date.parse(now) - days * DAY_MS;
    expect([period, await countAt(start, period), await countAt(start - 1, period)]).toEqual([period, 1, 0]);
  }
  expect(await countAt(0, 'all')).toBe(1);
});

test('404 for a missing program, 403 for the program of another merchant, 400 for an unknown period', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const other = await makeMerchant(api.runtime);
  expect((await stats(key, MISSING_ID)).status).toBe(404);
  expect((await stats(other.key, programId)).status).toBe(403);
  expect((await stats(key, programId, { period: '365d' })).status).toBe(400);
});
