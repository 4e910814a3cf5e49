import { type OwnTestApi, openTestApi } from '../../support/api.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { type StripeConnectServer, startStripeConnect } from '../../support/stripe/connect/connect-server.ts';
import { connectMember, makeMember, makeOwed, makeStripeMerchant } from '../../support/stripe/connect/stripe-merchant.ts';

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

const disconnect = (key: string, merchantId: string) => api.call('DELETE', `/me/stripe-connections/${merchantId}`, { key });

test('the company pays to the payout details again; a second call changes nothing, and it can be connected anew', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const { affiliateKey, profileId } = await makeMember(api, merchant);
  const account = await connectMember(api, stripe, { merchant, affiliateKey });
  for (let call = 0; call < 2; call += 1)
    expect(await disconnect(affiliateKey, merchant.merchantId)).toMatchObject({
      status: 200,
      data: { state: 'not_connected', readyAt: null },
    });
  const [row] = await rowsOf(api, 'select * from stripe_connection where profile_id = ?', [profileId]);
  expect(row).toMatchObject({ account_id: account, ready_at: null, changed_at: expect.any(String) });
  const again = await api.call('POST', '/me/stripe-connections', {
    key: affiliateKey,
    body: { merchantId: merchant.merchantId, country: 'DE' },
  });
  expect(again.data).toMatchObject({ state: 'ready', onboardingUrl: null });
});

test('nothing is disconnected while a payout to it is in progress', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const member = await makeOwed(api, merchant, null);
  await connectMember(api, stripe, { merchant, affiliateKey: member.affiliateKey });
  const body = { affiliateId: member.affiliateId, programId: member.programId };
  const { data } = await api.call('POST', '/payouts', { key: merchant.key, body });
  expect(await disconnect(member.affiliateKey, merchant.merchantId)).toMatchObject({
    status: 409,
    error: { details: { reason: 'PAYOUT_IN_FLIGHT' } },
  });
  await api.call('POST', `/payouts/${data.id}/cancel`, { key: merchant.key });
  expect((await disconnect(member.affiliateKey, merchant.merchantId)).status).toBe(200);
});

test('of a company that is not connected nothing is ended', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const { affiliateKey } = await makeMember(api, merchant);
  expect((await disconnect(affiliateKey, merchant.merchantId)).data).toMatchObject({ state: 'not_connected' });
  expect((await disconnect(affiliateKey, MISSING_ID)).status).toBe(404);
});
