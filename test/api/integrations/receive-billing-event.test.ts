import { type OwnTestApi, openTestApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import {
  invoiceEvent,
  sendBillingEvent,
  storedSubscription,
  subscriptionEvent,
  type TestSubscription,
} from '../../support/stripe/billing-events.ts';
import { stripeEvent } from '../../support/stripe/stripe-events.ts';
import { STRIPE_BILLING, type StripeServer, startStripeServer } from '../../support/stripe/stripe-server.ts';

const DAY_MS = 86_400_000;

let stripe: StripeServer;
let api: OwnTestApi;
beforeAll(async () => {
  stripe = await startStripeServer();
  api = await openTestApi({ ...STRIPE_BILLING, STRIPE_API_URL: stripe.url });
});
afterEach(() => stripe.fail(''));
afterAll(async () => {
  await api.close();
  await stripe.close();
});

const APPLIED = { status: 200, data: { outcome: 'applied' } };
const IGNORED = { status: 200, data: { outcome: 'ignored' } };

/** A merchant who ordered a tier; `become` is what happens at Stripe, without an event. */
const makeSubscriber = async (tier = 'growth') => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const { data } = await api.call('POST', '/billing/subscribe', { key, body: { tier } });
  const own: TestSubscription = await storedSubscription(api, merchantId);
  const become = (status: string) => stripe.setSubscription(data.stripeSubscriptionId, status);
  const billing = async () => (await api.call('GET', '/billing', { key })).data;
  return { key, merchantId, own, become, billing };
};

/** A merchant whose first invoice is paid. */
const makePaying = async () => {
  const made = await makeSubscriber();
  await made.become('active');
  await sendBillingEvent(api, invoiceEvent('paid', made.own));
  return made;
};

test('paid: the tier applies, and nothing is open any more', async () => {
  const { own, become, billing, key } = await makeSubscriber();
  await become('active');
  expect(await sendBillingEvent(api, invoiceEvent('paid', own))).toMatchObject(APPLIED);
  expect(await billing()).toMatchObject({
    tier: 'growth',
    requestedTier: null,
    paymentUrl: null,
    paymentStatus: 'active',
    billingRequirementStatus: 'active',
    gracePeriodEndsAt: null,
  });
  expect((await api.call('GET', '/merchant', { key })).data).toMatchObject({ billingTier: 'growth', lastPaymentFailedAt: null });
});

test('a failed payment begins a grace period of 14 days from the failure, which a repeat does not extend; paid ends it', async () => {
  const { own, become, billing, key } = await makePaying();
  const failedAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 - DAY_MS);
  await become('past_due');
  for (const at of [failedAt, new Date(failedAt.getTime() + DAY_MS / 2)]) {
    expect(await sendBillingEvent(api, invoiceEvent('payment_failed', own, at))).toMatchObject(APPLIED);
    expect(await billing()).toMatchObject({
      tier: 'growth',
      paymentStatus: 'past_due',
      billingRequirementStatus: 'grace_period',
      gracePeriodEndsAt: new Date(failedAt.getTime() + 14 * DAY_MS).toISOString(),
      paymentUrl: expect.stringContaining('https://'),
    });
    expect((await api.call('GET', '/merchant', { key })).data.lastPaymentFailedAt).toBe(at.toISOString());
  }
  await become('active');
  await sendBillingEvent(api, invoiceEvent('paid', own));
  expect(await billing()).toMatchObject({ paymentStatus: 'active', billingRequirementStatus: 'active', gracePeriodEndsAt: null });
});

test('a payment that stays open for 14 days restricts the merchant, until it is paid', async () => {
  const { own, become, billing } = await makePaying();
  await become('unpaid');
  await sendBillingEvent(api, invoiceEvent('payment_failed', own, new Date(Date.now() - 14 * DAY_MS)));
  expect(await billing()).toMatchObject({ tier: 'growth', billingRequirementStatus: 'restricted' });
  await become('active');
  await sendBillingEvent(api, subscriptionEvent('updated', own));
  expect(await billing()).toMatchObject({ tier: 'growth', billingRequirementStatus: 'active' });
});

test('a failed first payment grants nothing and begins no grace period', async () => {
  const { own, billing, key } = await makeSubscriber();
  expect(await sendBillingEvent(api, invoiceEvent('payment_failed', own))).toMatchObject(APPLIED);
  expect(await billing()).toMatchObject({
    tier: 'free',
    requestedTier: 'growth',
    paymentStatus: 'incomplete',
    billingRequirementStatus: 'not_required',
  });
  expect((await api.call('GET', '/merchant', { key })).data.lastPaymentFailedAt).not.toBeNull();
});

test('a canceled subscription falls back to the free tier; the merchant can subscribe again', async () => {
  const { own, become, billing, key } = await makePaying();
  await become('canceled');
  await sendBillingEvent(api, subscriptionEvent('deleted', own));
  expect(await billing()).toMatchObject({ tier: 'free', stripeSubscriptionId: null, billingRequirementStatus: 'not_required' });
  const again = (await api.call('POST', '/billing/subscribe', { key, body: { tier: 'starter' } })).data;
  expect(again).toMatchObject({ requestedTier: 'starter' });
  expect(again.stripeSubscriptionId).not.toBe(own.id);
  // The end of the first one, delivered again, does not end the second.
  await sendBillingEvent(api, subscriptionEvent('deleted', own));
  expect(await billing()).toEqual(again);
});

test('events may come twice, late and in any order: each reads the present state', async () => {
  const { own, become, billing } = await makePaying();
  await become('past_due');
  const failed = invoiceEvent('payment_failed', own);
  await become('active');
  const events = [
    invoiceEvent('paid', own),
    failed,
    subscriptionEvent('created', own),
    failed,
    subscriptionEvent('updated', own),
  ];
  const responses = await Promise.all(events.map((event) => sendBillingEvent(api, event)));
  expect(responses.map(({ status, data }) => [status, data.outcome])).toEqual(events.map(() => [200, 'applied']));
  expect(await billing()).toMatchObject({ tier: 'growth', paymentStatus: 'active', billingRequirementStatus: 'active' });
});

test('while Stripe does not respond, the event fails, so that Stripe repeats it', async () => {
  const { own, become, billing } = await makeSubscriber();
  await become('active');
  await stripe.fail('error');
  expect((await sendBillingEvent(api, invoiceEvent('paid', own))).status).toBe(500);
  expect((await billing()).tier).toBe('free');
  await stripe.fail('');
  await sendBillingEvent(api, invoiceEvent('paid', own));
  expect((await billing()).tier).toBe('growth');
});

test('events of other customers, other types and without a subscription are ignored', async () => {
  const { own } = await makeSubscriber();
  const { merchantId } = await makeMerchant(api.runtime);
  expect(await sendBillingEvent(api, subscriptionEvent('updated', { ...own, customer: `cus_${unique()}` }))).toMatchObject(
    IGNORED,
  );
  expect(await sendBillingEvent(api, stripeEvent('charge.succeeded', { id: 'ch_1', customer: own.customer }))).toMatchObject(
    IGNORED,
  );
  expect(await sendBillingEvent(api, stripeEvent('invoice.paid', { id: 'in_1', customer: own.customer }))).toMatchObject(IGNORED);
  expect(await sendBillingEvent(api, { hello: merchantId })).toMatchObject(IGNORED);
});

test('401 for a signature of another secret, and without a configuration', async () => {
  const { own, billing, become } = await makeSubscriber();
  await become('active');
  expect(await sendBillingEvent(api, invoiceEvent('paid', own), 'whsec_other')).toMatchObject({ status: 401 });
  expect((await billing()).tier).toBe('free');
  const plain = await openTestApi();
  expect(await sendBillingEvent(plain, invoiceEvent('paid', own))).toMatchObject({
    status: 401,
    error: { code: 'UNAUTHORIZED' },
  });
  await plain.close();
});
