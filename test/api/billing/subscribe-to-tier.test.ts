import { createStripeBilling } from '../../../src/domains/billing/stripe-billing.calls.ts';
import { type OwnTestApi, openTestApi, type TestApi } from '../../support/api.ts';
import { makeKey, makeMerchant, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { storedSubscription } from '../../support/stripe/billing-events.ts';
import { STRIPE_BILLING, type StripeServer, startStripeServer } from '../../support/stripe/stripe-server.ts';
import { makeSeller } from './support.ts';

/** Shorter than in production. */
const DEADLINE_MS = 2_500;

let stripe: StripeServer;
/** Without Stripe, and with it. */
let local: OwnTestApi;
let api: OwnTestApi;
beforeAll(async () => {
  stripe = await startStripeServer();
  local = await openTestApi({ BILLING_SELF_SERVICE: 'true' });
  api = await openTestApi({ ...STRIPE_BILLING, STRIPE_API_URL: stripe.url });
  const { STRIPE_SECRET_KEY: secretKey = '', STRIPE_BILLING_PRICES: prices } = api.runtime.config;
  if (prices)
    api.runtime.settings.stripeBilling = createStripeBilling({ secretKey, prices, apiUrl: stripe.url, timeoutMs: DEADLINE_MS });
});
afterEach(() => stripe.fail(''));
afterAll(async () => {
  await Promise.all([local.close(), api.close()]);
  await stripe.close();
});

const subscribe = (to: TestApi, key: string, tier: string, headers: Record<string, string> = {}) =>
  to.call('POST', '/billing/subscribe', { key, body: { tier }, headers });

test.each([true, false])('SE2: without Stripe nobody takes a tier for nothing (Idempotency-Key: %s)', async (keyed) => {
  const strict = await openTestApi();
  try {
    const { key } = await makeMerchant(strict.runtime);
    for (const tier of ['starter', 'pro'])
      expect(await subscribe(strict, key, tier, keyed ? { 'idempotency-key': unique() } : {})).toMatchObject({
        status: 409,
        error: { code: 'CONFLICT', details: { reason: 'BILLING_NOT_CONFIGURED' } },
      });
    expect((await strict.call('GET', '/billing', { key })).data).toMatchObject({ tier: 'free', paymentProvider: 'none' });
  } finally {
    await strict.close();
  }
});

describe('without Stripe, where merchants choose their tier', () => {
  test('the tier changes at once, says that nobody collects payments, and sets the rate limit', async () => {
    const { key, merchantId } = await makeMerchant(local.runtime);
    const { keyId, key: limited } = await makeKey(local.runtime, { ownerId: merchantId });
    await rowsOf(local, 'update api_key set rate_limit = null where id = ?', [keyId]);
    expect(await subscribe(local, key, 'growth')).toMatchObject({
      status: 200,
      data: {
        tier: 'growth',
        nextTier: 'pro',
        maxRevenue: 5_000_000,
        billingRequirementStatus: 'active',
        paymentProvider: 'none',
        stripeSubscriptionId: null,
      },
    });
    expect((await local.call('GET', '/billing', { key: limited })).headers['x-ratelimit-limit']).toBe('300');
    expect((await local.call('GET', '/billing', { key })).data.tier).toBe('growth');
    expect((await local.call('GET', '/merchant', { key })).data).toMatchObject({
      billingTier: 'growth',
      paymentStatus: 'active',
    });
  });

  test('a tier that does not cover the revenue of the month responds 409 and changes nothing', async () => {
    const { key } = await makeSeller(local, 1_000_001);
    expect(await subscribe(local, key, 'starter')).toMatchObject({
      status: 409,
      error: { details: { reason: 'REVENUE_ABOVE_TIER', monthlyRevenue: 1_000_001, maxRevenue: 1_000_000 } },
    });
    expect((await local.call('GET', '/billing', { key })).data).toMatchObject({
      tier: 'free',
      billingRequirementStatus: 'required',
    });
    expect((await subscribe(local, key, 'growth')).data).toMatchObject({ tier: 'growth', billingRequirementStatus: 'active' });
  });

  test('a decided error is replayed for its Idempotency-Key, even if the request would succeed now', async () => {
    const { key, conversionId } = await makeSeller(local, 1_000_001);
    const header = { 'idempotency-key': unique() };
    const first = await subscribe(local, key, 'starter', header);
    expect(first.error.details.reason).toBe('REVENUE_ABOVE_TIER');
    await rowsOf(local, `update conversion set status = 'rejected' where id = ?`, [conversionId]);
    expect(await subscribe(local, key, 'starter', header)).toMatchObject({
      status: 409,
      text: first.text,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect((await subscribe(local, key, 'pro', header)).error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await subscribe(local, key, 'starter', { 'idempotency-key': unique() })).status).toBe(200);
  });

  test.each([{}, { tier: 'free' }, { tier: 'scale' }, { tier: null }, { tier: 'pro', coupon: 'x' }])(
    'responds 422 for %j',
    async (body) => {
      const { key } = await makeMerchant(local.runtime);
      expect(await local.call('POST', '/billing/subscribe', { key, body })).toMatchObject({
        status: 422,
        error: { code: 'VALIDATION_ERROR' },
      });
    },
  );

  test('the operation needs billing:write', async () => {
    const { merchantId } = await makeMerchant(local.runtime);
    const { key } = await makeKey(local.runtime, { ownerId: merchantId, scopes: ['billing:read'] });
    expect(await subscribe(local, key, 'pro')).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  });
});

describe('with Stripe', () => {
  const calls = async (): Promise<number> => (await stripe.callsSince(0)).length;
  /** Ids of those that have not ended, as Stripe lists them. */
  const subscriptionsOf = async (merchantId: string): Promise<string[]> => {
    const { customer } = await storedSubscription(api, merchantId);
    const headers = { authorization: `Bearer ${STRIPE_BILLING.STRIPE_SECRET_KEY}` };
    const listed = await fetch(`${stripe.url}/v1/subscriptions?customer=${customer}`, { headers });
    return ((await listed.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  /** A merchant with a paid subscription of the starter tier. */
  const makeSubscriber = async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const stripeSubscriptionId: string = (await subscribe(api, key, 'starter')).data.stripeSubscriptionId;
    await stripe.setSubscription(stripeSubscriptionId, 'active');
    return { key, merchantId, stripeSubscriptionId };
  };
  /** Stripe works on the order only after its deadline: once `finishLate` is called. */
  const subscribeLate = async (key: string, tier: string): Promise<void> => {
    await stripe.fail('late');
    expect((await subscribe(api, key, tier)).status).toBe(500);
    await stripe.fail('');
  };

  test('a first subscription waits for its payment, at the page that the response names', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const before = await calls();
    const { status, data } = await subscribe(api, key, 'starter');
    expect([status, data]).toMatchObject([
      200,
      {
        tier: 'free',
        requestedTier: 'starter',
        paymentProvider: 'stripe',
        paymentStatus: 'incomplete',
        stripeSubscriptionId: expect.stringMatching(/^sub_/),
        paymentUrl: expect.stringMatching(/^https:\/\/invoice\.stripe\.test\//),
      },
    ]);
    expect((await api.call('GET', '/billing', { key })).data).toEqual(data);
    expect((await stripe.callsSince(before)).slice(0, 3)).toEqual([
      'POST /v1/customers',
      'GET /v1/subscriptions',
      'POST /v1/subscriptions',
    ]);
    expect((await storedSubscription(api, merchantId)).id).toBe(data.stripeSubscriptionId);
  });

  test('a repeat with the same Idempotency-Key has the first response and never calls Stripe', async () => {
    const { key } = await makeMerchant(api.runtime);
    const header = { 'idempotency-key': unique() };
    const first = await subscribe(api, key, 'starter', header);
    const before = await calls();
    const again = await subscribe(api, key, 'starter', header);
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([200, first.text, 'true']);
    expect((await subscribe(api, key, 'pro', header)).error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await stripe.callsSince(before)).toEqual([]);
  });

  test('subscribing to the same tier again makes no second subscription', async () => {
    const { key } = await makeMerchant(api.runtime);
    const first = (await subscribe(api, key, 'starter')).data;
    const before = await calls();
    expect((await subscribe(api, key, 'starter')).data).toEqual(first);
    expect(await stripe.callsSince(before)).not.toContain('POST /v1/subscriptions');
  });

  test('a subscription that is being paid is not replaced: another tier waits for the payment, and is then a change', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const { stripeSubscriptionId: id } = (await subscribe(api, key, 'starter')).data;
    await stripe.setSubscription(id, 'paying');
    const before = await calls();
    expect(await subscribe(api, key, 'growth')).toMatchObject({
      status: 409,
      error: { details: { reason: 'SUBSCRIPTION_IN_PROGRESS' } },
    });
    expect(await stripe.callsSince(before)).not.toContain(`DELETE /v1/subscriptions/${id}`);
    expect((await subscribe(api, key, 'starter')).data).toMatchObject({ requestedTier: 'starter', stripeSubscriptionId: id });
    await stripe.setSubscription(id, 'active');
    expect((await subscribe(api, key, 'growth')).data).toMatchObject({ tier: 'growth', stripeSubscriptionId: id });
    expect((await storedSubscription(api, merchantId)).id).toBe(id);
  });

  test('a paid subscription changes its tier at once; one that was never paid is replaced', async () => {
    const { key } = await makeMerchant(api.runtime);
    const starter = (await subscribe(api, key, 'starter')).data.stripeSubscriptionId;
    const growth = (await subscribe(api, key, 'growth')).data;
    expect(growth).toMatchObject({ tier: 'free', requestedTier: 'growth' });
    expect(growth.stripeSubscriptionId).not.toBe(starter);
    await stripe.setSubscription(growth.stripeSubscriptionId, 'active');
    const pro = (await subscribe(api, key, 'pro')).data;
    expect(pro).toMatchObject({
      tier: 'pro',
      requestedTier: null,
      paymentUrl: null,
      paymentStatus: 'active',
      billingRequirementStatus: 'active',
      stripeSubscriptionId: growth.stripeSubscriptionId,
    });
    expect((await subscribe(api, key, 'starter')).data).toMatchObject({ tier: 'starter' });
  });

  test('two requests at once make one subscription: one of them gets 409', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const before = await calls();
    const responses = await Promise.all([subscribe(api, key, 'starter'), subscribe(api, key, 'pro')]);
    const made = (await stripe.callsSince(before)).filter((call) => call === 'POST /v1/subscriptions');
    const refused = responses.filter(({ status }) => status === 409);
    for (const { error } of refused) expect(error.details.reason).toBe('SUBSCRIPTION_IN_PROGRESS');
    // When the second one begins after the first has ended, it replaces what was never paid.
    expect(made.length).toBe(2 - refused.length);
    const last = responses.findLast(({ status }) => status === 200);
    expect((await storedSubscription(api, merchantId)).id).toMatch(/^sub_/);
    expect(last).toBeDefined();
  });

  test('a request that never ended blocks the next for a minute only', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    await subscribe(api, key, 'starter');
    const holdUntil = (time: string) =>
      rowsOf(
        api,
        `update billing_subscription set request_id = gen_random_uuid(), requested_until = ${time} where merchant_id = ?`,
        [merchantId],
      );
    await holdUntil("now() + interval '30 seconds'");
    const header = { 'idempotency-key': unique() };
    expect(await subscribe(api, key, 'pro', header)).toMatchObject({
      status: 409,
      error: { details: { reason: 'SUBSCRIPTION_IN_PROGRESS' } },
    });
    await holdUntil('now()');
    const { status, headers } = await subscribe(api, key, 'pro', header);
    expect([status, headers['idempotency-replayed']]).toEqual([200, undefined]);
  });

  test.each(['error', 'hang', 'broken'] as const)(
    'when Stripe fails (%s), nothing changes, and the next request works',
    async (how) => {
      const { key } = await makeMerchant(api.runtime);
      await stripe.fail(how);
      const failed = await subscribe(api, key, 'starter', { 'idempotency-key': 'once' });
      expect(failed).toMatchObject({ status: 500, error: { code: 'INTERNAL_ERROR' } });
      expect(failed.text).not.toContain(STRIPE_BILLING.STRIPE_SECRET_KEY);
      expect((await api.call('GET', '/billing', { key })).data).toMatchObject({ tier: 'free', requestedTier: null });
      await stripe.fail('');
      expect((await subscribe(api, key, 'starter', { 'idempotency-key': 'once' })).data).toMatchObject({
        requestedTier: 'starter',
      });
    },
    20_000,
  );

  test('a subscription that Stripe makes after the deadline is the one that the next request orders', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    await subscribeLate(key, 'starter');
    const { stripeSubscriptionId } = (await subscribe(api, key, 'starter')).data;
    await stripe.finishLate();
    expect(await subscriptionsOf(merchantId)).toEqual([stripeSubscriptionId]);
  });

  test('another tier than that of an order on its way replaces what the order makes', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    await subscribeLate(key, 'starter');
    const { stripeSubscriptionId, requestedTier } = (await subscribe(api, key, 'pro')).data;
    await stripe.finishLate();
    expect([requestedTier, await subscriptionsOf(merchantId)]).toEqual(['pro', [stripeSubscriptionId]]);
    expect((await subscribe(api, key, 'growth')).data.requestedTier).toBe('growth');
    expect(await subscriptionsOf(merchantId)).toHaveLength(1);
  });

  test('a change of tier that reaches Stripe after the deadline does not undo the one that follows', async () => {
    const { key, merchantId, stripeSubscriptionId } = await makeSubscriber();
    await subscribeLate(key, 'pro');
    expect((await subscribe(api, key, 'growth')).data).toMatchObject({ tier: 'growth', stripeSubscriptionId });
    await stripe.finishLate();
    const before = await calls();
    // It reads the tier from Stripe, and has nothing to change.
    expect((await subscribe(api, key, 'growth')).data).toMatchObject({ tier: 'growth', stripeSubscriptionId });
    expect(await stripe.callsSince(before)).not.toContain(`POST /v1/subscriptions/${stripeSubscriptionId}`);
    expect(await subscriptionsOf(merchantId)).toEqual([stripeSubscriptionId]);
  });

  test('a change of a subscription that ended meanwhile does not block the next order', async () => {
    const { key, merchantId, stripeSubscriptionId } = await makeSubscriber();
    await subscribeLate(key, 'pro');
    await rowsOf(api, `update billing_subscription set order_item_id = 'si_gone' where merchant_id = ?`, [merchantId]);
    await stripe.setSubscription(stripeSubscriptionId, 'canceled');
    expect((await subscribe(api, key, 'growth')).data).toMatchObject({ requestedTier: 'growth', paymentStatus: 'incomplete' });
  });

  test('a change of tier that never reached Stripe is not carried out by a later request', async () => {
    const { key, merchantId, stripeSubscriptionId } = await makeSubscriber();
    await rowsOf(
      api,
      `update billing_subscription set order_id = gen_random_uuid(), order_tier = 'pro', order_subscription_id = ?,
        order_item_id = ?, ordered_at = now() - interval '6 minutes' where merchant_id = ?`,
      [stripeSubscriptionId, 'si_of_the_time', merchantId],
    );
    const before = await calls();
    expect((await subscribe(api, key, 'growth')).data).toMatchObject({ tier: 'growth', stripeSubscriptionId });
    const changes = (await stripe.callsSince(before)).filter((call) => call === `POST /v1/subscriptions/${stripeSubscriptionId}`);
    expect(changes).toHaveLength(1);
  });

  test.each(['starter', 'pro'])(
    'after a crash before or after an order of starter was sent, %s makes one subscription',
    async (tier) => {
      const { key, merchantId } = await makeMerchant(api.runtime);
      await subscribe(api, key, 'growth');
      const [before] = await subscriptionsOf(merchantId);
      await stripe.setSubscription(before ?? '', 'canceled');
      const leaveOrder = () =>
        rowsOf(
          api,
          `update billing_subscription set order_id = gen_random_uuid(), order_tier = 'starter', ordered_at = now() where merchant_id = ?`,
          [merchantId],
        );
      await leaveOrder();
      const first = (await subscribe(api, key, tier)).data;
      expect([first.requestedTier, await subscriptionsOf(merchantId)]).toEqual([tier, [first.stripeSubscriptionId]]);
      await leaveOrder();
      const second = (await subscribe(api, key, tier)).data;
      expect([second.stripeSubscriptionId, await subscriptionsOf(merchantId)]).toEqual([
        first.stripeSubscriptionId,
        [first.stripeSubscriptionId],
      ]);
    },
  );

  test('after a crash between Stripe and the response, the next request finds the subscription that was made', async () => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const { stripeSubscriptionId } = (await subscribe(api, key, 'starter')).data;
    await rowsOf(
      api,
      'update billing_subscription set stripe_subscription_id = null, requested_tier = null where merchant_id = ?',
      [merchantId],
    );
    const before = await calls();
    expect((await subscribe(api, key, 'starter')).data).toMatchObject({ stripeSubscriptionId, requestedTier: 'starter' });
    expect(await stripe.callsSince(before)).not.toContain('POST /v1/subscriptions');
  });
});
