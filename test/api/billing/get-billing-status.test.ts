import { DAY_MS } from '../../../src/platform/clock.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram, sendRefund, sendSale } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeSeller, setGraceEnd } from './support.ts';

const api = useOwnApi();

const billing = async (key: string) => (await api.call('GET', '/billing', { key })).data;

test('a new merchant is on the free tier and owes nothing', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await api.call('GET', '/billing', { key })).toMatchObject({
    status: 200,
    data: {
      tier: 'free',
      monthlyRevenue: 0,
      maxRevenue: 100_000,
      currency: 'usd',
      byCurrency: [],
      nextTier: 'starter',
      billingRequirementStatus: 'not_required',
      paymentProvider: 'none',
      paymentStatus: 'active',
      gracePeriodEndsAt: null,
      stripeSubscriptionId: null,
      requestedTier: null,
      paymentUrl: null,
    },
  });
});

test('the revenue is that of affiliates in this month, less refunds, by currency', async () => {
  const { key, program, code, saleId, conversionId } = await makeSeller(api, 50_000);
  await sendRefund(api, program, { saleId, amount: 20_000 });
  await sendSale(api, program, { amount: 99_000 });
  const euros = await makeProgram(api, key, { currency: 'eur' });
  await sendSale(api, euros, { amount: 70_000, currency: 'eur', referralCode: code });
  expect(await billing(key)).toMatchObject({
    monthlyRevenue: 30_000,
    byCurrency: [{ currency: 'usd', monthlyRevenue: 30_000, maxRevenue: 100_000 }],
  });
  await rowsOf(
    api,
    "update conversion set created_at = date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' where id = ?",
    [conversionId],
  );
  expect((await billing(key)).monthlyRevenue).toBe(30_000);
  await rowsOf(api, "update conversion set created_at = created_at - interval '1 millisecond' where id = ?", [conversionId]);
  expect(await billing(key)).toMatchObject({ monthlyRevenue: 0, byCurrency: [] });
});

test('MO7: a sale that is reported late counts in the month, and in the period, in which it is recorded', async () => {
  const { key, program, programId, code, affiliateId } = await makeSeller(api, 10_000);
  await rowsOf(api, "update affiliate set created_at = created_at - interval '200 days' where id = ?", [affiliateId]);
  const occurredAt = new Date(Date.now() - 100 * DAY_MS).toISOString();
  const late = await sendSale(api, program, { amount: 5_000, referralCode: code, occurredAt });
  expect(late.data.outcome).toBe('recorded');
  expect((await billing(key)).monthlyRevenue).toBe(15_000);
  for (const path of [`/programs/${programId}/stats`, '/conversions/stats']) {
    const { data } = await api.call('GET', path, { key, query: { period: '7d' } });
    expect([path, data.totalRevenue]).toEqual([path, 15_000]);
  }
});

test('a revenue above the tier requires a higher one, here and on the merchant; the ceiling itself is covered', async () => {
  const { key, program, code } = await makeSeller(api, 100_000);
  expect((await billing(key)).billingRequirementStatus).toBe('not_required');
  await sendSale(api, program, { amount: 1, referralCode: code });
  expect(await billing(key)).toMatchObject({ monthlyRevenue: 100_001, billingRequirementStatus: 'required' });
  expect((await api.call('GET', '/merchant', { key })).data.billingRequirementStatus).toBe('required');
  expect((await api.call('PATCH', '/merchant', { key, body: {} })).data.billingRequirementStatus).toBe('required');
});

test('IN10: the limit holds for each currency, in as many main units, and is never a sum', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const make = async (currency: string, amount: number) => {
    const program = await makeProgram(api, key, { currency });
    const affiliate = await makeAffiliate(api.runtime, program.programId);
    await sendSale(api, program, { amount, currency, referralCode: affiliate.code });
  };
  await rowsOf(api, "update merchant set billing_tier = 'starter' where id = ?", [merchantId]);
  await make('usd', 600_000);
  await make('eur', 1_000_000);
  await make('jpy', 10_000);
  expect((await billing(key)).billingRequirementStatus).not.toBe('required');
  expect((await billing(key)).byCurrency).toEqual([
    { currency: 'eur', monthlyRevenue: 1_000_000, maxRevenue: 1_000_000 },
    { currency: 'usd', monthlyRevenue: 600_000, maxRevenue: 1_000_000 },
    { currency: 'jpy', monthlyRevenue: 10_000, maxRevenue: 10_000 },
  ]);
  await make('eur', 1);
  expect(await billing(key)).toMatchObject({ monthlyRevenue: 600_000, billingRequirementStatus: 'required' });
  const refused = await api.call('POST', '/programs', {
    key,
    body: { name: 'More', commissionType: 'one_time', commissionPercent: 10 },
  });
  expect(refused.error.details.reason).toBe('BILLING_REQUIRED');
});

test('an overdue payment is a grace period, and then a restriction, from that moment on', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const statuses = async () => [
    (await billing(key)).billingRequirementStatus,
    (await api.call('GET', '/merchant', { key })).data.billingRequirementStatus,
  ];
  await setGraceEnd(api, merchantId, 1);
  expect(await statuses()).toEqual(['grace_period', 'grace_period']);
  expect((await billing(key)).gracePeriodEndsAt).toMatch(/Z$/);
  await setGraceEnd(api, merchantId, 0);
  expect(await statuses()).toEqual(['restricted', 'restricted']);
});

test('the operation needs billing:read, and takes no parameters', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const scoped = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:read'] });
  expect((await api.call('GET', '/billing', { key: scoped.key })).status).toBe(403);
  expect((await api.call('GET', '/billing', { key, query: { tier: 'pro' } })).status).toBe(400);
});
