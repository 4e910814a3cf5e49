import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { type OwnTestApi, openTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { type StripeConnectServer, startStripeConnect } from '../../support/stripe/connect/connect-server.ts';
import { connectMember, makeMember, makeStripeMerchant } from '../../support/stripe/connect/stripe-merchant.ts';

let stripe: StripeConnectServer;
let api: OwnTestApi;
beforeAll(async () => {
  stripe = await startStripeConnect();
  api = await openTestApi({ STRIPE_API_URL: stripe.url });
});
afterAll(async () => {
  await api.close();
  await stripe.close();
});

const list = async (key: string) => (await api.call('GET', '/me/stripe-connections', { key })).data;

test('companies that pay through Stripe are listed to those who work for them, and to nobody else', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const member = await makeMember(api, merchant);
  expect(await list(member.affiliateKey)).toEqual([
    {
      merchantId: merchant.merchantId,
      companyName: expect.any(String),
      ...{ state: 'not_connected', requirements: [], country: null, readyAt: null, detailsCooldownUntil: null },
    },
  ]);
  const other = await makeMerchant(api.runtime);
  const stranger = await makeMember(api, await makeProgram(api, other.key));
  expect(await list(stranger.affiliateKey)).toEqual([]);
});

test('while the owner is not done, Stripe is asked what is missing', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const { affiliateKey } = await makeMember(api, merchant);
  const { merchantId, secretKey } = merchant;
  const { data } = await api.call('POST', '/me/stripe-connections', { key: affiliateKey, body: { merchantId, country: 'DE' } });
  const account = /setup\/(acct_\w+)\//.exec(data.onboardingUrl)?.[1] ?? '';
  const requirements = ['bank_account', 'identity_document', 'terms'];
  expect(await list(affiliateKey)).toMatchObject([{ state: 'pending', requirements, country: 'DE', readyAt: null }]);
  await stripe.setPayee(secretKey, account, { due: ['configuration.recipient.default_outbound_destination'] });
  expect(await list(affiliateKey)).toMatchObject([{ state: 'pending', requirements: ['bank_account'] }]);
  await stripe.setPayee(secretKey, account, { status: 'active', due: [] });
  expect(await list(affiliateKey)).toMatchObject([{ state: 'ready', requirements: [], readyAt: expect.any(String) }]);
});

test('an account of another version of the merchant is not connected to the new one', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const { affiliateKey } = await makeMember(api, merchant);
  await connectMember(api, stripe, { merchant, affiliateKey });
  expect(await list(affiliateKey)).toMatchObject([{ state: 'ready' }]);
  const other = await makeStripeMerchant(api, stripe);

  await storeRailAccount(api.runtime.context({ kind: 'system', name: 'test' }), {
    merchantId: merchant.merchantId,
    rail: 'stripe_connect',
    account: { secretKey: other.secretKey },
  });
  expect(await list(affiliateKey)).toMatchObject([{ state: 'not_connected' }]);
});
