import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import {
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  refundedCharge,
  seconds,
  sendStripeEvent,
  stripeEvent,
  stripeSignature,
  subscriptionDetails,
} from '../../support/stripe/stripe-events.ts';
import { booksOf, makeStripeProgram, reasonsOf } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();
const COMPLETED = 'checkout.session.completed';
const HOLD = { commissionHoldDays: 30 };

const context = () => api.runtime.context({ kind: 'system', name: 'test' });
type Made = Awaited<ReturnType<typeof makeStripeProgram>>;
const send = (made: Made, type: string, object: object) => sendStripeEvent(api, made.endpoint, stripeEvent(type, object));
const problemsOf = ({ merchantId }: Made) =>
  rows<{ reason: string; event_type: string }>(
    context().em,
    sql<{
      reason: string;
      event_type: string;
    }>`select reason, event_type from sale_problem where merchant_id = ${merchantId}::uuid`,
  );

describe('a signature', () => {
  const body = JSON.stringify(stripeEvent(COMPLETED, checkoutSession()));
  const post = (programId: string, headers: Record<string, string>, text = body) =>
    api.raw('POST', `/api/integrations/stripe/${programId}`, { body: text, headers });

  it.each([
    ['is missing', () => ({})],
    ['is of another secret', () => stripeSignature(body, 'whsec_another_secret')],
    ['is of another body', ({ endpoint }: Made) => stripeSignature(`${body} `, endpoint.secret)],
    ['is older than five minutes', ({ endpoint }: Made) => stripeSignature(body, endpoint.secret, Date.now() - 301_000)],
    ['is malformed', () => ({ 'stripe-signature': 't=1,v1=zz' })],
  ] as [string, (made: Made) => Record<string, string>][])(
    'a signature that %s is 401 and changes nothing',
    async (_what, headers) => {
      const made = await makeStripeProgram(api);
      const response = await post(made.programId, headers(made));
      expect([response.status, response.error.code]).toEqual([401, 'UNAUTHORIZED']);
      expect(response.text).not.toContain('cs_test');
      expect(await reasonsOf(api, made.merchantId)).toEqual([]);
    },
  );

  it('an unknown program, for which no signature can be checked, is 404', async () => {
    expect((await post(MISSING_ID, stripeSignature(body, 'whsec_x'))).status).toBe(404);
    expect((await post('nonsense', stripeSignature(body, 'whsec_x'))).status).toBe(404);
  });

  it('a signature without a stored secret is 401 and says what to do', async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const response = await post(programId, stripeSignature(body, 'whsec_x'));
    expect([response.status, response.error.message]).toEqual([401, expect.stringContaining('set-stripe-secret')]);
    const connect = await api.raw('POST', '/api/integrations/stripe', { body, headers: stripeSignature(body, 'whsec_x') });
    expect([connect.status, connect.error.message]).toEqual([401, expect.stringContaining('STRIPE_CONNECT_WEBHOOK_SECRET')]);
  });
});

describe('a payment', () => {
  it('a payment with a coupon of an affiliate becomes a conversion of the net amount', async () => {
    const made = await makeStripeProgram(api);
    const session = checkoutSession({ discounts: made.discounts, metadata: { order: '7' } });
    const response = await send(made, COMPLETED, session);
    expect(response).toMatchObject({ status: 200, data: { outcome: 'recorded', conversionId: expect.any(String) } });
    const { data } = await api.call('GET', '/conversions', { key: made.key });
    expect(data).toMatchObject([
      { amount: 10_000, commission: 2_000, method: 'coupon', affiliateId: made.affiliateId, stripeSessionId: session.id },
    ]);
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a payment that is received twice, and twenty times at once, is booked once', async () => {
    const made = await makeStripeProgram(api);
    const event = stripeEvent(COMPLETED, checkoutSession({ discounts: made.discounts }));
    const all = await Promise.all(Array.from({ length: 20 }, () => sendStripeEvent(api, made.endpoint, event)));
    expect(all.map(({ data }) => data.outcome).sort()).toEqual([...Array(19).fill('duplicate'), 'recorded']);
    expect((await api.call('GET', `/affiliates/${made.affiliateId}`, { key: made.key })).data.totalConversions).toBe(1);
  });

  it('a payment with texts that Postgres cannot store is recorded, with U+FFFD in their place', async () => {
    const made = await makeStripeProgram(api);
    const session = {
      ...checkoutSession({ discounts: made.discounts }),
      customer_details: { email: 'ada@\u0000shop.example' },
      metadata: { 'a\u0000': 'x\u0000\ud800', path: 'C:\\u0000', smile: '\u{1f600}' },
    };
    const body = JSON.stringify(stripeEvent(COMPLETED, session)).replace('\u{1f600}', String.raw`\ud83d\uDE00`);
    const headers = stripeSignature(body, made.endpoint.secret);
    const response = await api.raw('POST', `/api/integrations/stripe/${made.programId}`, { body, headers });
    expect(response).toMatchObject({ status: 200, data: { outcome: 'recorded' } });
    const { data } = await api.call('GET', '/conversions', { key: made.key });
    expect(data).toMatchObject([{ metadata: { 'a\ufffd': 'x\ufffd\ufffd', path: 'C:\\u0000', smile: '\u{1f600}' } }]);
    const unreadable = await send(made, COMPLETED, { id: 'cs_\u0000', mode: 3 });
    expect(unreadable).toMatchObject({ status: 200, data: { outcome: 'needs_review' } });
  });

  it('a delayed payment counts once it succeeds', async () => {
    const made = await makeStripeProgram(api);
    const session = checkoutSession({ discounts: made.discounts, payment_status: 'unpaid' });
    expect((await send(made, COMPLETED, session)).data.outcome).toBe('ignored');
    const paid = { ...session, payment_status: 'paid' };
    expect((await send(made, 'checkout.session.async_payment_succeeded', paid)).data.outcome).toBe('recorded');
    expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ commission: 2_000 });
  });

  it('a payment without evidence, or in another currency, is listed as unattributed with its reason', async () => {
    const made = await makeStripeProgram(api);
    expect((await send(made, COMPLETED, checkoutSession())).data).toEqual({
      outcome: 'unattributed',
      conversionId: null,
      reason: 'NO_MATCH',
    });
    const euros = checkoutSession({ currency: 'eur', discounts: made.discounts });
    expect((await send(made, COMPLETED, euros)).data.outcome).toBe('unattributed');
    expect(await reasonsOf(api, made.merchantId)).toEqual(['NO_MATCH', 'OTHER_CURRENCY']);
  });

  it('a payment that is repeated with other facts is answered 200, changes nothing and is kept for a person', async () => {
    const made = await makeStripeProgram(api);
    const session = checkoutSession({ discounts: made.discounts });
    await send(made, COMPLETED, session);
    const response = await send(made, COMPLETED, { ...session, amount_total: 99_900 });
    expect(response).toMatchObject({ status: 200, data: { outcome: 'needs_review', conversionId: null } });
    expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ amount: 10_000 });
    expect(await problemsOf(made)).toEqual([{ reason: 'PAYLOAD_MISMATCH', event_type: COMPLETED }]);
  });
});

describe('a subscription', () => {
  const subscribe = async (made: Made, order: 'session first' | 'invoice first') => {
    const customer = `cus_${made.programId}`;
    const created = seconds(Date.now() - 60_000);
    const first = invoice({ customer, parent: subscriptionDetails(`sub_${made.programId}`) });
    const session = checkoutSession({
      mode: 'subscription',
      customer,
      invoice: first.id ?? null,
      created,
      payment_intent: null,
      discounts: made.discounts,
    });
    const events = [() => send(made, COMPLETED, session), () => send(made, 'invoice.paid', first)];
    for (const event of order === 'session first' ? events : events.reverse()) expect((await event()).status).toBe(200);
    return { customer, first };
  };

  it.each(['session first', 'invoice first'] as const)(
    'a subscription is credited from its first payment, %s, and each renewal follows',
    async (order) => {
      const made = await makeStripeProgram(api);
      const { customer, first } = await subscribe(made, order);
      expect(await booksOf(api, first.id)).toMatchObject({ affiliateId: made.affiliateId, commission: 2_000, reason: null });
      const renewal = invoice({ customer, parent: first.parent ?? null, billing_reason: 'subscription_cycle' });
      expect((await send(made, 'invoice.paid', renewal)).data.outcome).toBe('recorded');
    },
  );

  it('a subscription that begins with a trial is credited when it is paid', async () => {
    const made = await makeStripeProgram(api);
    const zero = { amount_due: 0, amount_paid: 0, total: 0, total_excluding_tax: 0, total_taxes: [] };
    const customer = `cus_${made.programId}`;
    const session = checkoutSession({
      mode: 'subscription',
      customer,
      payment_intent: null,
      discounts: made.discounts,
      created: seconds() - 60,
    });
    await send(made, COMPLETED, session);
    expect((await send(made, 'invoice.paid', invoice({ customer, ...zero }))).data.outcome).toBe('ignored');
    const paid = invoice({ customer, billing_reason: 'subscription_cycle' });
    expect((await send(made, 'invoice.paid', paid)).data.outcome).toBe('recorded');
  });

  it('a subscription that ends changes nothing', async () => {
    const made = await makeStripeProgram(api);
    const response = await send(made, 'customer.subscription.deleted', { id: 'sub_1', object: 'subscription' });
    expect(response).toMatchObject({ status: 200, data: { outcome: 'ignored' } });
  });
});

describe('refunds and disputes', () => {
  const sell = async (made: Made) => {
    const session = checkoutSession({ discounts: made.discounts });
    expect((await send(made, COMPLETED, session)).data.outcome).toBe('recorded');
    return session.payment_intent as string;
  };

  it('several refunds take back their share of the net amount, and a repeated one nothing more', async () => {
    const made = await makeStripeProgram(api, HOLD);
    const payment = await sell(made);
    await send(made, 'charge.refunded', refundedCharge(payment, 2_950));
    expect(await booksOf(api, payment)).toMatchObject({ refunded: 2_500, commission: 1_500, status: 'partially_refunded' });
    for (const outcome of ['recorded', 'duplicate']) {
      expect((await send(made, 'charge.refunded', refundedCharge(payment, 5_900))).data.outcome).toBe(outcome);
    }
    await send(made, 'charge.refunded', refundedCharge(payment, 2_950));
    expect(await booksOf(api, payment)).toMatchObject({ refunded: 5_000, commission: 1_000 });
    await send(made, 'charge.refunded', refundedCharge(payment, 11_800));
    expect(await booksOf(api, payment)).toMatchObject({ refunded: 10_000, commission: 0, status: 'refunded' });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a dispute holds the commission and moves no money; won, it ends', async () => {
    const made = await makeStripeProgram(api, HOLD);
    const payment = await sell(made);
    const opened = dispute(payment);
    expect((await send(made, 'charge.dispute.created', opened)).data.outcome).toBe('recorded');
    expect(await booksOf(api, payment)).toMatchObject({ isDisputed: true, refunded: 0, commission: 2_000 });
    await send(made, 'charge.dispute.closed', { ...opened, status: 'won' });
    expect(await booksOf(api, payment)).toMatchObject({ isDisputed: false, refunded: 0, commission: 2_000 });
  });

  it('a lost dispute is a refund beside those before it', async () => {
    const made = await makeStripeProgram(api, HOLD);
    const payment = await sell(made);
    await send(made, 'charge.refunded', refundedCharge(payment, 2_950));
    const opened = dispute(payment, { amount: 5_900 });
    await send(made, 'charge.dispute.created', opened);
    await send(made, 'charge.dispute.closed', { ...opened, status: 'lost' });
    expect(await booksOf(api, payment)).toMatchObject({ isDisputed: false, refunded: 7_500, commission: 500 });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a refund of an invoice is found by its payment, which may be told later', async () => {
    const made = await makeStripeProgram(api, HOLD);
    const paid = invoice();
    await send(made, 'invoice.paid', paid);
    expect((await send(made, 'charge.refunded', refundedCharge('pi_of_invoice', 5_900))).data.outcome).toBe('waiting');
    await send(made, 'invoice_payment.paid', invoicePayment(paid.id ?? '', 'pi_of_invoice'));
    expect(await booksOf(api, paid.id)).toMatchObject({ refunded: 5_000 });
  });

  const euros = (payment: string, amount: number) => refundedCharge(payment, amount, { currency: 'eur' });

  it('MO6: a refund in another currency than its sale is kept for a person, once, and reduces nothing', async () => {
    const made = await makeStripeProgram(api, HOLD);
    const payment = await sell(made);
    await send(made, 'charge.refunded', refundedCharge(payment, 2_950));
    const event = stripeEvent('charge.refunded', euros(payment, 11_800));
    expect((await sendStripeEvent(api, made.endpoint, event)).data).toEqual({ outcome: 'needs_review', conversionId: null });
    expect((await sendStripeEvent(api, made.endpoint, event)).data.outcome).toBe('duplicate');
    expect(await booksOf(api, payment)).toMatchObject({ refunded: 2_500, commission: 1_500 });
    await send(made, 'charge.refunded', refundedCharge(payment, 5_900));
    expect(await booksOf(api, payment)).toMatchObject({ refunded: 5_000, commission: 1_000 });
    expect(await problemsOf(made)).toEqual([{ reason: 'OTHER_CURRENCY', event_type: 'charge.refunded' }]);
  });

  it('MO6: a refund in another currency that waited for its sale goes to a person, and the sale is recorded', async () => {
    const made = await makeStripeProgram(api, HOLD);
    const session = checkoutSession({ discounts: made.discounts });
    const payment = session.payment_intent as string;
    expect((await send(made, 'charge.refunded', euros(payment, 5_900))).data.outcome).toBe('waiting');
    expect((await send(made, COMPLETED, session)).data.outcome).toBe('recorded');
    expect(await booksOf(api, payment)).toMatchObject({ refunded: 0, commission: 2_000 });
    expect(await problemsOf(made)).toEqual([{ reason: 'OTHER_CURRENCY', event_type: 'charge.refunded' }]);
    const paid = invoice({ parent: null, subscription: `sub_${payment}` } as object);
    await send(made, 'invoice.paid', paid);
    await send(made, 'charge.refunded', euros(`${payment}_2`, 5_900));
    await send(made, 'invoice_payment.paid', invoicePayment(paid.id ?? '', `${payment}_2`));
    expect(await booksOf(api, paid.id)).toMatchObject({ refunded: 0 });
    expect(await problemsOf(made)).toHaveLength(2);
  });

  it('a payment that pays two invoices is kept for a person', async () => {
    const made = await makeStripeProgram(api);
    await send(made, 'invoice_payment.paid', invoicePayment('in_first', 'pi_both'));
    const second = await send(made, 'invoice_payment.paid', invoicePayment('in_second', 'pi_both'));
    expect(second.data.outcome).toBe('needs_review');
    expect(await problemsOf(made)).toMatchObject([{ reason: 'PAYLOAD_MISMATCH' }]);
  });
});

describe('what cannot be used', () => {
  it.each([
    ['an event without its parts', {}, 'id is required'],
    ['no JSON object', 7, 'the body must be an object'],
    ['a session without an amount', stripeEvent(COMPLETED, { id: 'cs_1', object: 'checkout.session' }), 'mode is required'],
    [
      'an amount that is no number',
      stripeEvent('charge.refunded', { ...refundedCharge('pi_1', 1), amount_refunded: '1' }),
      'data.object.amount_refunded must be',
    ],
    ['a time that is none', stripeEvent(COMPLETED, checkoutSession(), { created: 1e12 }), 'created must be at most'],
  ])('%s is kept for a person, once, and answered 200 with the field and the reason', async (_what, event, detail) => {
    const made = await makeStripeProgram(api);
    for (let time = 0; time < 2; time++) {
      expect(await sendStripeEvent(api, made.endpoint, event)).toMatchObject({
        status: 200,
        data: { outcome: 'needs_review', detail: expect.stringContaining(detail) },
      });
    }
    expect(await problemsOf(made)).toMatchObject([{ reason: 'UNREADABLE' }]);
    const { data } = await api.call('GET', '/sale-problems', { key: made.key });
    expect(data).toMatchObject([{ reason: 'UNREADABLE', detail: expect.stringContaining(detail) }]);
  });

  it('an event whose envelope is broken keeps its id and type, by which a person finds it at Stripe', async () => {
    const made = await makeStripeProgram(api);
    const { data: _left, ...event } = stripeEvent(COMPLETED, {});
    await sendStripeEvent(api, made.endpoint, event);
    const { data } = await api.call('GET', '/sale-problems', { key: made.key });
    expect(data).toMatchObject([{ eventId: event.id, eventType: COMPLETED, objectId: null, detail: 'data is required' }]);
  });

  it('an event that contradicts an earlier one names what differs', async () => {
    const made = await makeStripeProgram(api);
    const session = checkoutSession({ discounts: made.discounts });
    await send(made, COMPLETED, session);
    const response = await send(made, COMPLETED, { ...session, amount_total: 99_900 });
    expect(response.data.detail).toContain('different data: amount');
  });

  it('an event of a type that is not used is ignored', async () => {
    const made = await makeStripeProgram(api);
    expect((await send(made, 'customer.created', { id: 'cus_1' })).data).toEqual({ outcome: 'ignored', conversionId: null });
    expect(await problemsOf(made)).toEqual([]);
  });

  it('a payment from the future is kept for a person', async () => {
    const made = await makeStripeProgram(api);
    const event = stripeEvent(COMPLETED, checkoutSession(), { created: seconds() + 3_600 });
    expect((await sendStripeEvent(api, made.endpoint, event)).data.outcome).toBe('needs_review');
    expect(await problemsOf(made)).toMatchObject([{ reason: 'REJECTED' }]);
  });
});
