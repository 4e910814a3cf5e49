import {
  readStripeEvent,
  type StripeEvent,
  stripeEventSchema,
  Unreadable,
} from '../../../src/domains/conversions/stripe/stripe-event.rules.ts';
import { ownMetadata, readEvidence } from '../../../src/domains/conversions/stripe/stripe-evidence.rules.ts';
import {
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  refundedCharge,
  stripeEvent,
  subscriptionDetails,
} from '../../support/stripe/stripe-events.ts';

const TOKEN = 'clk_0198f1c27a4e7c319f0a2f1d3b6c8e51';
const parse = (event: unknown): StripeEvent => stripeEventSchema.parse(event);
const read = (type: string, object: object) => readStripeEvent(parse(stripeEvent(type, object)));
const COMPLETED = 'checkout.session.completed';

describe('a Checkout Session', () => {
  test('a paid session is a sale of what was paid, without tax, known by its payment', () => {
    const session = checkoutSession({ metadata: { order: '7', agentref_cid: TOKEN, agentref_src: 'script' } });
    expect(read(COMPLETED, session)).toMatchObject({
      kind: 'sale',
      externalId: session.payment_intent,
      amount: 10_000,
      chargedGross: 11_800,
      currency: 'usd',
      stripeSessionId: session.id,
      subscriptionId: null,
      metadata: { order: '7' },
      evidence: { clickToken: TOKEN, programId: null, couponCodes: [] },
    });
  });

  test('a session with a discount is a sale of the amount after it', () => {
    const total_details = { amount_discount: 2_000, amount_shipping: 500, amount_tax: 1_530 };
    expect(read(COMPLETED, checkoutSession({ amount_total: 10_030, total_details }))).toMatchObject({ amount: 8_500 });
  });

  test.each([
    ['that is unpaid and has no payment', { payment_status: 'unpaid', payment_intent: null }],
    ['that needs no payment', { payment_status: 'no_payment_required', amount_total: 0, payment_intent: null }],
    ['over zero', { amount_total: 0, total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 } }],
    ['that only saves a card', { mode: 'setup', amount_total: null, currency: null }],
    ['of a subscription without evidence', { mode: 'subscription' }],
  ] as const)('%s is nothing', (_what, more) => {
    expect(read(COMPLETED, checkoutSession(more))).toBeNull();
  });

  test('an unpaid session tells what is sold once its payment is captured', () => {
    const session = checkoutSession({ payment_status: 'unpaid' });
    expect(read(COMPLETED, session)).toMatchObject({
      kind: 'session',
      sale: { externalId: session.payment_intent, amount: 10_000 },
    });
  });

  test.each([
    ['charge.captured', { id: 'ch_1', payment_intent: 'pi_1', amount_captured: 5_900, currency: 'usd' }, 'pi_1'],
    ['charge.captured', { id: 'ch_1', payment_intent: null, amount_captured: 5_900, currency: 'usd' }, 'ch_1'],
    ['payment_intent.succeeded', { id: 'pi_1', amount_received: 5_900, currency: 'usd', capture_method: 'manual' }, 'pi_1'],
  ])('%s is a capture of its payment', (type, object, paymentId) => {
    expect(read(type, object)).toMatchObject({ kind: 'capture', paymentId, capturedGross: 5_900 });
  });

  test.each([
    [11_800, 5_900],
    [5_900, 0],
    [5_000, 0],
    [undefined, 0],
  ])('of %s that were authorized, a capture of 5900 releases %s', (amount, releasedGross) => {
    const charge = { id: 'ch_1', payment_intent: 'pi_1', amount, amount_captured: 5_900, currency: 'usd' };
    const intent = { id: 'pi_1', amount, amount_received: 5_900, currency: 'usd', capture_method: 'manual' };
    expect(read('charge.captured', charge)).toMatchObject({ releasedGross });
    expect(read('payment_intent.succeeded', intent)).toMatchObject({ releasedGross });
  });

  test.each(['automatic', 'automatic_async', null])('a payment intent that is captured as %s is nothing', (capture_method) => {
    expect(read('payment_intent.succeeded', { id: 'pi_1', amount_received: 1, currency: 'usd', capture_method })).toBeNull();
  });

  test('a session that was paid later is the same sale', () => {
    const session = checkoutSession();
    const later = read('checkout.session.async_payment_succeeded', session);
    expect(later).toMatchObject({ kind: 'sale', externalId: session.payment_intent });
  });

  test('a session of a subscription brings evidence that counts from its creation', () => {
    const session = checkoutSession({
      mode: 'subscription',
      invoice: 'in_1',
      client_reference_id: TOKEN,
      created: 1_768_469_100,
    });
    expect(read(COMPLETED, session)).toMatchObject({
      kind: 'sign_up',
      invoiceId: 'in_1',
      customer: { id: session.customer },
      attributedAt: new Date('2026-01-15T09:25:00Z'),
      evidence: { clickToken: TOKEN },
    });
  });

  test.each([
    ['jpy', 5_000, 5_000],
    ['kwd', 12_340, 12_340],
    ['isk', 500_000, 5_000],
    ['ugx', 500_000, 5_000],
    ['mga', 500, 50_000],
  ])('a session in %s counts in minor units of ISO 4217', (currency, amount_total, amount) => {
    const total_details = { amount_discount: 0, amount_shipping: 0, amount_tax: 0 };
    expect(read(COMPLETED, checkoutSession({ currency, amount_total, total_details }))).toMatchObject({ amount, currency });
  });

  test('a session over less than half a minor unit of ISO 4217 is nothing, and neither is such an invoice', () => {
    const total_details = { amount_discount: 0, amount_shipping: 0, amount_tax: 0 };
    expect(read(COMPLETED, checkoutSession({ currency: 'isk', amount_total: 49, total_details }))).toBeNull();
    const amounts = { amount_due: 49, amount_paid: 49, total: 49, total_excluding_tax: 49, total_taxes: [] };
    expect(read('invoice.paid', invoice({ currency: 'isk', ...amounts }))).toBeNull();
  });
});

describe('an invoice', () => {
  const paid = (more: Parameters<typeof invoice>[0]) => read('invoice.paid', invoice(more));

  test('an invoice of a subscription is a sale of its net total', () => {
    const parent = subscriptionDetails('sub_1', { agentref_cid: TOKEN });
    expect(
      paid({
        id: 'in_1',
        parent,
        status_transitions: { finalized_at: 1, marked_uncollectible_at: null, paid_at: 1_768_469_400, voided_at: null },
      }),
    ).toMatchObject({
      kind: 'sale',
      externalId: 'in_1',
      amount: 10_000,
      chargedGross: 11_800,
      subscriptionId: 'sub_1',
      occurredAt: new Date('2026-01-15T09:30:00Z'),
      evidence: { clickToken: TOKEN },
    });
  });

  test('an invoice after the first one brings no click of its own: it follows the subscription', () => {
    const parent = subscriptionDetails('sub_1', { agentref_cid: TOKEN });
    expect(paid({ parent, billing_reason: 'subscription_cycle' })).toMatchObject({ evidence: { clickToken: undefined } });
  });

  test('an invoice without a subscription is nothing: its session is the sale', () => {
    expect(paid({ parent: null })).toBeNull();
  });

  test('an invoice over zero is nothing; at the start of a trial it brings evidence', () => {
    const zero = { amount_due: 0, amount_paid: 0, total: 0, total_excluding_tax: 0, subtotal: 0, total_taxes: [] };
    expect(paid(zero)).toBeNull();
    const parent = subscriptionDetails('sub_1', { agentref_cid: TOKEN });
    expect(paid({ ...zero, parent })).toMatchObject({ kind: 'sign_up', evidence: { clickToken: TOKEN } });
  });

  test("an invoice counts only what was paid, not the customer's credit", () => {
    expect(paid({ amount_due: 5_900, amount_paid: 5_900 })).toMatchObject({ amount: 5_000, chargedGross: 5_900 });
    expect(paid({ amount_due: 0, amount_paid: 0 })).toBeNull();
  });

  test('paid outside Stripe is a sale too', () => {
    expect(paid({ amount_paid: 0, amount_paid_off_stripe: 11_800 })).toMatchObject({ amount: 10_000, chargedGross: 11_800 });
  });

  test('an invoice without a net total is reduced by its taxes', () => {
    expect(paid({ total_excluding_tax: null })).toMatchObject({ amount: 10_000 });
  });

  test('an invoice of an API version before 2025-03-31 is read with its subscription, tax and payment', () => {
    const { parent, total_taxes, total_excluding_tax, ...old } = invoice();
    const more = {
      subscription: 'sub_9',
      subscription_details: { metadata: { agentref_cid: TOKEN } },
      tax: 1_800,
      payment_intent: 'pi_9',
    };
    expect(read('invoice.paid', { ...old, ...more })).toMatchObject({
      amount: 10_000,
      subscriptionId: 'sub_9',
      paymentId: 'pi_9',
      evidence: { clickToken: TOKEN },
    });
    expect(read('invoice.paid', old)).toBeInstanceOf(Unreadable);
  });
});

test('a payment of an invoice names both; one outside Stripe is nothing', () => {
  expect(read('invoice_payment.paid', invoicePayment('in_1', 'pi_1'))).toEqual({
    kind: 'invoice_payment',
    paymentId: 'pi_1',
    invoiceId: 'in_1',
  });
  const outside = { ...invoicePayment('in_1', ''), payment: { type: 'payment_record', payment_record: 'pr_1' } };
  expect(read('invoice_payment.paid', outside)).toBeNull();
});

test('a refunded charge counts all its refunds, by its payment intent or, without one, by itself', () => {
  expect(read('charge.refunded', refundedCharge('pi_1', 5_900))).toMatchObject({
    kind: 'refund',
    paymentId: 'pi_1',
    refundedGross: 5_900,
  });
  expect(read('charge.refunded', refundedCharge(null, 5_900, { id: 'ch_1' }))).toMatchObject({ paymentId: 'ch_1' });
});

test.each([
  ['won', 'closed'],
  ['warning_closed', 'closed'],
  ['prevented', 'closed'],
  ['lost', 'lost'],
])('a dispute that ended as %s is %s', (status, expected) => {
  expect(read('charge.dispute.closed', dispute('pi_1', { status }))).toMatchObject({ kind: 'dispute', status: expected });
});

test('a dispute is open once it is created, inquiries of banks included', () => {
  expect(read('charge.dispute.created', dispute('pi_1', { status: 'warning_needs_response' }))).toMatchObject({
    status: 'opened',
  });
});

test.each(['customer.subscription.deleted', 'customer.created', 'toString', '__proto__'])('an event %s is nothing', (type) => {
  expect(read(type, { id: 'x' })).toBeNull();
});

test.each([
  [COMPLETED, {}, 'data.object.id is required'],
  [COMPLETED, checkoutSession({ amount_total: -1 }), 'data.object.amount_total must be at least 0'],
  [COMPLETED, checkoutSession({ amount_total: 1e15 }), 'data.object.amount_total must be at most'],
  [COMPLETED, { ...checkoutSession(), total_details: {} }, 'data.object.total_details.amount_tax is required'],
  [COMPLETED, { ...checkoutSession(), customer: 7 }, 'data.object.customer has none of the accepted formats'],
  ['invoice.paid', { ...invoice(), amount_paid: '11800' }, 'data.object.amount_paid must be'],
  ['invoice.paid', { ...invoice(), parent: undefined }, 'data.object.parent is required'],
  ['invoice_payment.paid', { id: 'inpay_1' }, 'data.object.invoice is required; data.object.payment is required'],
  ['promotion_code.created', { id: 'promo_1' }, 'data.object.code is required'],
  ['charge.refunded', { id: 'ch_1', amount_refunded: 1.5, currency: 'usd' }, 'data.object.amount_refunded must be an integer'],
  ['charge.dispute.created', dispute('pi_1', { currency: 'us dollars' }), 'data.object.currency is malformed'],
] as const)('%s with a broken object is unreadable, and tells its field and the reason', (type, object, detail) => {
  const found = read(type, object);
  expect(found).toBeInstanceOf(Unreadable);
  expect((found as Unreadable).detail).toContain(detail);
});

test('what is told of an unreadable event contains nothing of what it says, however long it is', () => {
  const secret = 'ada@example.org';
  for (const field of ['mode', 'currency', 'customer', 'created', 'amount_total', 'discounts', 'metadata', secret]) {
    for (const wrong of [secret, { [secret]: secret }, [secret], { [secret]: { [secret]: 1 } }, 'x'.repeat(1_000)]) {
      const found = read(COMPLETED, { ...checkoutSession(), payment_status: 7, [field]: wrong });
      expect(found).toBeInstanceOf(Unreadable);
      const { detail } = found as Unreadable;
      expect([detail.includes(secret), detail.length <= 300]).toEqual([false, true]);
    }
  }
});

test('objects in place of ids are read, as in expanded events', () => {
  const session = { ...checkoutSession(), customer: { id: 'cus_9', object: 'customer' }, payment_intent: { id: 'pi_9' } };
  expect(read(COMPLETED, session)).toMatchObject({ externalId: 'pi_9', customer: { id: 'cus_9' } });
});

describe('evidence', () => {
  test('evidence is the click token of the metadata, else that of client_reference_id, if it is one', () => {
    const other = TOKEN.replace('e51', 'e52');
    expect(readEvidence({ agentref_cid: TOKEN }, { clientReferenceId: other }).clickToken).toBe(TOKEN);
    expect(readEvidence({}, { clientReferenceId: TOKEN.toUpperCase() }).clickToken).toBe(TOKEN);
    expect(readEvidence({ agentref_cid: 'nonsense' }, { clientReferenceId: 'order-7' }).clickToken).toBeUndefined();
  });

  test('evidence names the program; what is no program id names an unknown one', () => {
    const id = '0198F1C2-8B10-7D02-8F3E-51C9A7E2B604';
    expect(readEvidence({ agentref_pid: id }).programId).toBe(id.toLowerCase());
    expect(readEvidence({ agentref_pid: 'acme' }).programId).toBe('unknown');
    expect(readEvidence({}).programId).toBeNull();
  });

  test('evidence lists coupons and promotion codes, by id or as objects', () => {
    const discounts = [
      { coupon: 'ADA10', promotion_code: 'promo_1' },
      { coupon: { id: 'BOB10' }, promotion_code: { id: 'promo_2', code: 'BOB' } },
      { coupon: null, promotion_code: null },
    ];
    expect(readEvidence({}, { discounts }).couponCodes).toEqual(['promo_1', 'ADA10', 'BOB', 'promo_2', 'BOB10']);
  });

  test("metadata is the merchant's own, at most 20 keys and 2 KB", () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`key${at}`, 'x'.repeat(at < 3 ? 500 : 300)]));
    const kept = ownMetadata({ agentref_cid: TOKEN, ...many }) ?? {};
    expect(Object.keys(kept).slice(0, 2)).toEqual(['key0', 'key1']);
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(2_048);
    expect(ownMetadata({ agentref_cid: TOKEN })).toBeNull();
  });
});
