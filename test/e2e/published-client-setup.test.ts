import { type AgentRef, type BillingStatus, type BillingTier, ConflictError, type ProgramStats } from 'agentref';
import { setGraceEnd } from '../api/billing/support.ts';
import { useTestApi } from '../support/api.ts';
import { makeKey, makeMerchant, makePayable, unique } from '../support/factories.ts';
import { listenForClients } from '../support/published-client.ts';

const api = useTestApi({ BILLING_SELF_SERVICE: 'true' });
let clientOf: (apiKey: string) => AgentRef;

beforeAll(async () => {
  clientOf = await listenForClients(api);
});

const newProgram = () => ({ name: `Program ${unique()}`, commissionType: 'one_time' as const, commissionPercent: 10 });

test('onboarding: an onboarding key names the company and makes the first program, a merchant key completes', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const setup = clientOf((await makeKey(api.runtime, { ownerId: merchantId, keyType: 'onboarding' })).key);
  expect(await setup.onboarding.upsertMerchantProfile({ companyName: 'Acme' })).toEqual({ merchantId, companyName: 'Acme' });
  const program = await setup.programs.create(newProgram());
  expect(await setup.programs.get(program.id)).toMatchObject({ id: program.id, readiness: 'setup' });
  await expect(setup.programs.create(newProgram())).rejects.toThrow(ConflictError);
  await expect(setup.onboarding.complete()).rejects.toMatchObject({ status: 403 });
  expect(await clientOf(key).onboarding.complete()).toEqual({ onboardingCompleted: true, onboardingStep: 4 });
  expect(await clientOf(key).merchant.get()).toMatchObject({ companyName: 'Acme', onboardingCompleted: true });
});

test('programs.stats', async () => {
  const { key, programId } = await makePayable(api);
  const stats: ProgramStats = await clientOf(key).programs.stats(programId, { period: '30d' });
  const expected: ProgramStats = {
    programId,
    programName: expect.any(String) as unknown as string,
    status: 'active',
    totalRevenue: 10_000,
    totalConversions: 1,
    totalCommissions: 2_000,
    pendingCommissions: 0,
    activeAffiliates: 1,
    conversionsByStatus: { pending: 0, approved: 1, partiallyRefunded: 0, rejected: 0, refunded: 0 },
  };
  expect(stats).toMatchObject(expected);
});

test('billing: current, tiers, subscribe', async () => {
  const { billing } = clientOf((await makeMerchant(api.runtime)).key);
  const current: BillingStatus = { tier: 'free', monthlyRevenue: 0, nextTier: 'starter', stripeSubscriptionId: null };
  expect(await billing.current()).toMatchObject(current);
  const tiers: BillingTier[] = await billing.tiers();
  expect(tiers.map(({ id, price, bookable }) => [id, price, bookable])).toEqual([
    ['free', 0, false],
    ['starter', 2_900, true],
    ['growth', 9_900, true],
    ['pro', 29_900, true],
  ]);
  for (const { maxRevenue, features } of tiers) expect([typeof maxRevenue, features.length > 0]).toEqual(['number', true]);
  const idempotencyKey = unique();
  const subscribed = await billing.subscribe({ tier: 'growth' }, { idempotencyKey });
  expect(subscribed).toMatchObject({ tier: 'growth', nextTier: 'pro' });
  expect(await billing.subscribe({ tier: 'growth' }, { idempotencyKey })).toEqual(subscribed);
});

test('a restricted merchant gets a ConflictError with its reason', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  await setGraceEnd(api, merchantId, -1);
  await expect(clientOf(key).programs.create(newProgram())).rejects.toMatchObject({
    status: 409,
    code: 'CONFLICT',
    message: expect.stringContaining('overdue'),
  });
  expect((await clientOf(key).merchant.get()).billingRequirementStatus).toBe('restricted');
});

test('notifications: get, update', async () => {
  const { notifications } = clientOf((await makeMerchant(api.runtime)).key);
  const defaults = {
    newAffiliate: true,
    newConversion: true,
    commissionApproved: true,
    payoutProcessed: true,
    weeklyDigest: false,
  };
  expect(await notifications.get()).toEqual(defaults);
  const changed = { ...defaults, newConversion: false, weeklyDigest: true };
  expect(await notifications.update({ newConversion: false, weeklyDigest: true })).toEqual(changed);
  expect(await notifications.get()).toEqual(changed);
});
