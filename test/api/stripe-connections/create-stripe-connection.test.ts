import { type OwnTestApi, openTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { type StripeConnectServer, startStripeConnect } from '../../support/stripe/connect/connect-server.ts';
import {
  connectMember,
  makeMember,
  makeOwed,
  makeStripeMerchant,
  type StripeMerchant,
} from '../../support/stripe/connect/stripe-merchant.ts';

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

const connect = (key: string, { merchantId }: { merchantId: string }) =>
  api.call('POST', '/me/stripe-connections', { key, body: { merchantId, country: 'DE' } });

const stored = (profileId: string) => rowsOf(api, 'select * from stripe_connection where profile_id = ?', [profileId]);

const pay = ({ key }: StripeMerchant, { affiliateId, programId }: { affiliateId: string; programId: string }) =>
  api.call('POST', '/payouts', { key, body: { affiliateId, programId } });

test('one account is made, however often and at once it is asked for', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const member = await makeMember(api, merchant);
  const made = await Promise.all([connect(member.affiliateKey, merchant), connect(member.affiliateKey, merchant)]);
  made.push(await connect(member.affiliateKey, merchant));
  for (const { status, data } of made) {
    expect(status).toBe(200);
    expect(data).toMatchObject({
      state: 'pending',
      onboardingUrl: expect.stringMatching(/^https:\/\/connect\.stripe\.test\/setup\//),
    });
  }
  expect(new Set(made.map(({ data }) => /acct_\w+/.exec(data.onboardingUrl)?.[0])).size).toBe(1);
  expect(await stored(member.profileId)).toHaveLength(1);
});

test('once Stripe takes payments, the company pays there by the method of a bank transfer', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const member = await makeOwed(api, merchant, null);
  const account = await connectMember(api, stripe, { merchant, affiliateKey: member.affiliateKey });
  const { status, data } = await pay(merchant, member);
  expect(status).toBe(201);
  expect(data).toMatchObject({ method: 'bank_transfer', rail: 'stripe_connect', status: 'pending' });
  const [{ destination_hash: hash }] = await rowsOf(api, 'select destination_hash from payout where id = ?', [data.id]);
  expect(hash).not.toContain(account);
});

test('who had payout details waits after the change, and nobody pays to the details meanwhile', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const member = await makeOwed(api, merchant);
  await connectMember(api, stripe, { merchant, affiliateKey: member.affiliateKey });
  const [row] = await stored(member.profileId);
  expect(row).toMatchObject({ state: 'ready', changed_at: expect.any(String) });
  await api.call('PATCH', '/merchant', { key: merchant.key, body: { detailsCooldownHours: 24 } });
  expect(await pay(merchant, member)).toMatchObject({ status: 409, error: { details: { reason: 'DETAILS_JUST_CHANGED' } } });
});

test('an account that Stripe restricts is paid nothing, nor are the payout details instead of it', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const member = await makeOwed(api, merchant, null);
  const account = await connectMember(api, stripe, { merchant, affiliateKey: member.affiliateKey });
  await rowsOf(api, `update stripe_connection set state = 'restricted' where account_id = ? returning id`, [account]);
  expect(await pay(merchant, member)).toMatchObject({
    status: 409,
    error: { details: { reason: 'PAYOUT_DETAILS_MISSING' } },
  });
});

test('a notice of Stripe makes the connection ready, and one of another merchant changes nothing', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const other = await makeStripeMerchant(api, stripe);
  const member = await makeMember(api, merchant);
  const { data } = await connect(member.affiliateKey, merchant);
  const account = /acct_\w+/.exec(data.onboardingUrl)?.[0] ?? '';
  await stripe.setPayee(merchant.secretKey, account, { status: 'active', due: [] });
  const told = (await stripe.events(merchant.secretKey)).filter(({ about }) => about === account);
  expect(told).toHaveLength(2);
  const send = (merchantId: string, event = told[0]) =>
    api.raw('POST', `/api/integrations/rails/stripe_connect/${merchantId}`, {
      body: event?.body ?? '',
      headers: event?.headers ?? {},
    });
  expect((await send(other.merchantId)).status).toBe(401);
  expect(await stored(member.profileId)).toMatchObject([{ state: 'pending', ready_at: null }]);
  for (const event of [...told, ...told]) expect((await send(merchant.merchantId, event)).status).toBe(200);
  expect(await stored(member.profileId)).toMatchObject([{ state: 'ready', ready_at: expect.any(String) }]);
});

test('who works for no such company finds none, and what Stripe refuses is told', async () => {
  const merchant = await makeStripeMerchant(api, stripe);
  const { affiliateKey } = await makeMember(api, merchant);
  expect((await connect(affiliateKey, { merchantId: MISSING_ID })).status).toBe(404);
  expect((await connect(affiliateKey, await makeStripeMerchant(api, stripe))).status).toBe(404);
  expect((await connect(affiliateKey, await makeMerchant(api.runtime))).status).toBe(404);
  await stripe.allow({ hasV2: false, isRecipientRefused: true });
  const refused = await connect(affiliateKey, merchant);
  await stripe.allow({ hasV2: true, isRecipientRefused: false });
  expect(refused).toMatchObject({
    status: 409,
    error: { details: { reason: 'STRIPE_REFUSED', stripeCode: 'platform_account_required' } },
  });
});
