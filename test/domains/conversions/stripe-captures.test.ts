import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import {
  checkoutSession,
  invoice,
  refundedCharge,
  refundOf,
  sendStripeEvent,
  stripeEvent,
  type TestStripeEvent,
} from '../../support/stripe/stripe-events.ts';
import { booksOf, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';
import { makeTwoPrograms } from '../../support/stripe/two-programs.ts';

const api = useTestApi();
const COMPLETED = 'checkout.session.completed';

type Made = Awaited<ReturnType<typeof makeStripeProgram>>;
const makeOne = (): Promise<Made> => makeStripeProgram(api, { commissionHoldDays: 30 });
const send = async ({ endpoint }: Pick<Made, 'endpoint'>, event: TestStripeEvent) =>
  (await sendStripeEvent(api, endpoint, event)).data;
const openProblems = async ({ key }: { key: string }) =>
  (await api.call('GET', '/sale-problems', { key, query: { open: 'true' } })).data;

const AUTHORIZED = 11_800;

/**
 * A session whose payment is only authorized, and what Stripe sends once so much of it is captured. What is not captured is a refund
 * at Stripe, in the total of the charge too.
 */
const captureOf = (made: Pick<Made, 'discounts'>, captured: number) => {
  const session = checkoutSession({ payment_status: 'unpaid', discounts: made.discounts, metadata: { order: '7' } });
  const payment = session.payment_intent as string;
  const released = Math.max(0, AUTHORIZED - captured);
  const chargeAfter = (refunded: number) => refundedCharge(payment, released + refunded, { amount_captured: captured });
  const intent = {
    id: payment,
    object: 'payment_intent',
    amount: AUTHORIZED,
    amount_received: captured,
    capture_method: 'manual',
    currency: 'usd',
    customer: session.customer,
    status: 'succeeded',
  };
  return {
    payment,
    session: stripeEvent(COMPLETED, session),
    captured: stripeEvent('charge.captured', chargeAfter(0)),
    succeeded: stripeEvent('payment_intent.succeeded', intent),
    /** The total that Stripe reports once so much of the capture was given back. */
    refunded: (refunded: number) => stripeEvent('charge.refunded', chargeAfter(refunded)),
    refund: (amount: number) => stripeEvent('refund.created', refundOf(payment, { amount })),
  };
};

test.each([
  ['all of it', 11_800, 10_000, 2_000],
  ['a half of it', 5_900, 5_000, 1_000],
  ['more than was agreed', 20_000, 10_000, 2_000],
])(
  'a payment of which %s is captured is a sale of that, in every order, repeats included',
  async (_, gross, amount, commission) => {
    const made = await makeOne();
    const order = fc.shuffledSubarray([0, 1, 2, 0, 1, 2], { minLength: 6 });
    await fc.assert(
      fc.asyncProperty(order, async (places) => {
        const { payment, session, captured, succeeded } = captureOf(made, gross);
        const events = [session, captured, succeeded];
        for (const place of places) await send(made, events[place] as TestStripeEvent);
        const { affiliateId } = made;
        expect(await booksOf(api, payment)).toMatchObject({ amount, commission, affiliateId, reason: null });
        expect(await openProblems(made)).toEqual([]);
      }),
      { numRuns: 8 },
    );
    expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
  },
  60_000,
);

test('nothing is sold before the capture, and the sale has the data of the session', async () => {
  const made = await makeOne();
  const { payment, session, captured } = captureOf(made, 11_800);
  expect(await send(made, session)).toMatchObject({ outcome: 'ignored' });
  expect(await booksOf(api, payment)).toBeNull();
  expect(await send(made, captured)).toMatchObject({ outcome: 'recorded', conversionId: expect.any(String) });
  const { data } = await api.call('GET', '/conversions', { key: made.key });
  expect(data).toMatchObject([{ externalSaleId: payment, metadata: { order: '7' }, method: 'coupon' }]);
  const [left] = await rowsOf(api, 'select * from stripe_authorization where payment_id = ?', [payment]);
  expect(left).toMatchObject({ session: null, customer_id: null, customer_email_digest: null, customer_email_domain: null });
});

test('all events of a capture at the same time are one sale', async () => {
  const made = await makeOne();
  const { payment, session, captured, succeeded } = captureOf(made, 11_800);
  await Promise.all([session, captured, succeeded, session, captured, succeeded].map((event) => send(made, event)));
  expect(await booksOf(api, payment)).toMatchObject({ commission: 2_000, affiliateId: made.affiliateId });
  expect(await openProblems(made)).toEqual([]);
});

test('a capture without a session is for a person, once, until the session comes', async () => {
  const made = await makeOne();
  const { payment, session, captured, succeeded } = captureOf(made, 11_800);
  expect(await send(made, captured)).toMatchObject({
    outcome: 'needs_review',
    detail: expect.stringContaining('Checkout Session'),
  });
  await send(made, succeeded);
  expect(await openProblems(made)).toMatchObject([{ reason: 'NOT_RECORDED', objectId: payment, saleId: null }]);
  expect(await send(made, session)).toMatchObject({ outcome: 'recorded' });
  expect(await openProblems(made)).toEqual([]);
});

test('payments that are captured at once, of sessions and of invoices, are told by these alone', async () => {
  const made = await makeOne();
  const session = checkoutSession({ discounts: made.discounts });
  const intent = { id: session.payment_intent, amount_received: 11_800, currency: 'usd', capture_method: 'automatic' };
  expect(await send(made, stripeEvent('payment_intent.succeeded', intent))).toMatchObject({ outcome: 'ignored' });
  expect(await send(made, stripeEvent(COMPLETED, session))).toMatchObject({ outcome: 'recorded' });
  await send(made, stripeEvent('invoice.paid', invoice({ payment_intent: 'pi_of_old_invoice' } as object)));
  const charge = refundedCharge('pi_of_old_invoice', 0);
  expect(await send(made, stripeEvent('charge.captured', charge))).toMatchObject({ outcome: 'duplicate' });
  expect(await openProblems(made)).toEqual([]);
});

type Reported = ReturnType<typeof captureOf>;
const HALF = 5_900;
const QUARTER = 2_950;

test('a refund of a captured payment takes back its share, before and after the capture', async () => {
  const made = await makeOne();
  for (const order of [
    ['refund', 'session', 'capture'],
    ['session', 'capture', 'refund'],
  ] as const) {
    const { payment, session, captured, refunded } = captureOf(made, HALF);
    const events = { session, capture: captured, refund: refunded(QUARTER) };
    for (const name of order) await send(made, events[name]);
    expect(await booksOf(api, payment)).toMatchObject({ amount: 5_000, refunded: 2_500, commission: 500 });
  }
});

const REMAINDERS: [string, (of: Reported) => TestStripeEvent, (of: Reported, refunded: number) => TestStripeEvent][] = [
  ['charge.refunded', (of) => of.refunded(0), (of, refunded) => of.refunded(refunded)],
  ['refund.created', (of) => of.refund(HALF), (of, refunded) => of.refund(refunded)],
];
const CAPTURES = ['captured', 'succeeded'] as const;
const cases = REMAINDERS.flatMap((remainder) => CAPTURES.map((capture) => [...remainder, capture] as const));

test.each(cases)('what was never captured is no refund (%s), a later refund is', async (_, remainderOf, refundIn, capture) => {
  const made = await makeOne();
  for (const isBefore of [true, false]) {
    const of = captureOf(made, HALF);
    const remainder = remainderOf(of);
    const told = isBefore ? [remainder, of.session, of[capture]] : [of.session, of[capture], remainder];
    for (const event of told) await send(made, event);
    expect(await booksOf(api, of.payment)).toMatchObject({ amount: 5_000, refunded: 0, commission: 1_000 });
    await send(made, refundIn(of, QUARTER));
    expect(await booksOf(api, of.payment)).toMatchObject({ amount: 5_000, refunded: 2_500, commission: 500 });
  }
  expect(await openProblems(made)).toEqual([]);
});

test('the remainder and a refund, told in every way and order, take back the refund alone', async () => {
  const made = await makeOne();
  const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 });
  await fc.assert(
    fc.asyncProperty(order, async (places) => {
      const { payment, session, captured, succeeded, refunded, refund } = captureOf(made, HALF);
      const events = [session, captured, succeeded, refunded(0), refunded(QUARTER), refund(HALF), refund(QUARTER)];
      for (const place of places) await send(made, events[place] as TestStripeEvent);
      expect(await booksOf(api, payment)).toMatchObject({ amount: 5_000, refunded: 2_500, commission: 500 });
    }),
    { numRuns: 8 },
  );
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
}, 60_000);

test('of several programs, the capture is of the one that the session leads to, at either endpoint', async () => {
  const two = await makeTwoPrograms(api);
  for (const [first, second] of [
    [two.a, two.b],
    [two.b, two.a],
  ] as const) {
    const { payment, session, captured } = captureOf(two.b, 11_800);
    for (const event of [session, captured]) for (const { endpoint } of [first, second]) await two.send(endpoint, event);
    expect(await two.placesOf(payment)).toMatchObject([{ programId: two.b.programId, affiliateId: two.b.affiliateId }]);
  }
});
