import { findAffiliate, findPayoutDestinations, openPayoutDestination } from '../../../src/domains/affiliates/index.ts';
import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { postWithCredit } from '../../../src/domains/conversions/refund/post-with-credit.steps.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, unique } from '../../support/factories.ts';

const api = useTestApi();
const BY_NOBODY = { accountEnteredBy: null, accountEnteredAt: null };

const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

const system = () => api.runtime.context({ kind: 'system', name: 'test' });

const makeOwn = async () => {
  const merchant = await makeMerchant(api.runtime);
  return { ...merchant, ...(await makeProgram(api, merchant.key)) };
};

test('an affiliate is found by its id', async () => {
  const { merchantId, programId } = await makeOwn();
  const { affiliateId, profileId, code } = await makeAffiliate(api.runtime, programId);
  const expected = { id: affiliateId, programId, merchantId, profileId, status: 'approved', code };
  expect(await findAffiliate(system(), affiliateId)).toEqual(expected);
});

test('an unknown id is not found', async () => {
  expect(await findAffiliate(system(), MISSING)).toBeNull();
});

const destinationOf = async (affiliateId: string, method?: 'paypal' | 'bank_transfer') => {
  const [stored] = await findPayoutDestinations(system(), [affiliateId]);
  return stored && openPayoutDestination(system(), stored, method);
};

test('payout details are decrypted for the chosen method, or for another method that is complete', async () => {
  const { programId } = await makeOwn();
  const { affiliateId } = await createAffiliate(system(), {
    programId,
    email: `a-${unique()}@example.com`,
    name: 'Ada',
    source: 'api',
    payout: { bankIban: 'DE89 3704 0044 0532 0130 00', bankAccountHolder: 'Ada Byron' },
  });
  const details = {
    method: 'bank_transfer',
    paypalEmail: null,
    bankIban: 'DE89370400440532013000',
    bankBic: null,
    bankAccountHolder: 'Ada Byron',
  };
  expect(await destinationOf(affiliateId)).toEqual({
    details,
    cooldownUntil: null,
    detailsSince: null,
    isEntered: false,
    ...BY_NOBODY,
  });
  expect(await destinationOf(affiliateId, 'bank_transfer')).toEqual({
    details,
    cooldownUntil: null,
    detailsSince: null,
    isEntered: false,
    ...BY_NOBODY,
  });
  expect(await destinationOf(affiliateId, 'paypal')).toEqual({
    details: null,
    cooldownUntil: null,
    detailsSince: null,
    isEntered: false,
    ...BY_NOBODY,
  });
});

test('payout details are null for a person without any, and an unknown affiliate has none', async () => {
  const { programId } = await makeOwn();
  const { affiliateId } = await makeAffiliate(api.runtime, programId, null);
  expect(await destinationOf(affiliateId)).toEqual({
    details: null,
    cooldownUntil: null,
    detailsSince: null,
    isEntered: true,
    ...BY_NOBODY,
  });
  expect(await destinationOf(MISSING)).toBeUndefined();
});

test('concurrent sale credits add up, and refunds are deducted', async () => {
  const { key, programId, merchantId } = await makeOwn();
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const to = { programId, merchantId, affiliateId, currency: 'usd', referenceId: affiliateId };
  const credit = (conversions: number, revenue: number, earnings: number) =>
    postWithCredit(system(), [{ kind: 'conversion', from: 'merchant_expense', to: 'pending', amount: 0, ...to }], {
      conversions,
      revenue,
      earnings,
    });
  await Promise.all(Array.from({ length: 10 }, () => credit(1, 1_000, 200)));
  await credit(0, -500, -100);
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key });
  expect(data).toMatchObject({ totalConversions: 10, totalRevenue: 9_500, totalEarnings: 1_900 });
});
