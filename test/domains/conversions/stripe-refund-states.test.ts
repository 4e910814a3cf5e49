import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import {
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  refundedCharge,
  refundOf,
  seconds,
  sendStripeEvent,
  stripeEvent,
  type TestStripeEvent,
} from '../../support/stripe/stripe-events.ts';
import { booksOf, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const COMPLETED = 'checkout.session.completed';

type Made = Awaited<ReturnType<typeof makeStripeProgram>>;
let made: Made;
beforeAll(async () => {
  made = await makeStripeProgram(api, { commissionHoldDays: 30 });
});

const sendAll = async (events: readonly TestStripeEvent[]) => {
  for (const event of events) expect((await sendStripeEvent(api, made.endpoint, event)).status).toBe(200);
};

const START = seconds() - 1_000;
/** `after` is in seconds since the sale. */
const refundEvent = (type: string, object: object, after: number) => stripeEvent(type, object, { created: START + after });

const makeSale = () => {
  const session = checkoutSession({ discounts: made.discounts });
  return { session: stripeEvent(COMPLETED, session, { created: START }), payment: session.payment_intent as string };
};

type Scene = (payment: string) => TestStripeEvent[];
const charge = (payment: string, total: number, after: number) =>
  refundEvent('charge.refunded', refundedCharge(payment, total), after);

/** Events of refunds of a payment over 118.00, and what is refunded of the 100.00 in the end. */
const SCENES: Readonly<Record<string, [refunded: number, scene: Scene]>> = {
  'a refund that failed': [
    0,
    (payment) => {
      const refund = refundOf(payment);
      return [
        charge(payment, 5_900, 1),
        refundEvent('refund.created', refund, 1),
        refundEvent('refund.failed', { ...refund, status: 'failed' }, 100),
      ];
    },
  ],
  'a refund that failed in the second of its creation': [
    0,
    (payment) => {
      const refund = refundOf(payment);
      return [
        refundEvent('refund.created', { ...refund, status: 'pending' }, 1),
        refundEvent('refund.updated', { ...refund, status: 'failed' }, 1),
        refundEvent('refund.failed', { ...refund, status: 'failed' }, 1),
      ];
    },
  ],
  'a refund that was canceled, of a payment method that needs the customer': [
    0,
    (payment) => {
      const refund = refundOf(payment, { status: 'requires_action' });
      return [refundEvent('refund.created', refund, 1), refundEvent('refund.updated', { ...refund, status: 'canceled' }, 9)];
    },
  ],
  'a refund that failed, told by an older event type': [
    0,
    (payment) => {
      const refund = refundOf(payment);
      return [charge(payment, 5_900, 1), refundEvent('charge.refund.updated', { ...refund, status: 'failed' }, 100)];
    },
  ],
  'one of two refunds failed': [
    2_500,
    (payment) => {
      const [first, second] = [refundOf(payment, { amount: 2_950 }), refundOf(payment, { amount: 2_950 })];
      return [
        charge(payment, 2_950, 1),
        refundEvent('refund.created', first, 1),
        charge(payment, 5_900, 2),
        refundEvent('refund.created', second, 2),
        refundEvent('refund.failed', { ...first, status: 'failed' }, 100),
      ];
    },
  ],
  'one of two refunds failed, and only this one is told by itself': [
    2_500,
    (payment) => {
      const failed = refundOf(payment, { amount: 2_950, status: 'failed' });
      return [charge(payment, 2_950, 1), charge(payment, 5_900, 2), refundEvent('refund.failed', failed, 100)];
    },
  ],
  'a refund from before the endpoint selected single refunds, and one from after it': [
    7_500,
    (payment) => [
      charge(payment, 5_900, 1),
      charge(payment, 8_850, 100),
      refundEvent('refund.created', refundOf(payment, { amount: 2_950 }), 100),
    ],
  ],
  'a refund from before the endpoint selected single refunds, which failed after it': [
    0,
    (payment) => [charge(payment, 5_900, 1), refundEvent('refund.failed', refundOf(payment, { status: 'failed' }), 100)],
  ],
  'a refund that failed and was made again': [
    10_000,
    (payment) => {
      const first = refundOf(payment, { amount: 11_800 });
      return [
        charge(payment, 11_800, 1),
        refundEvent('refund.created', first, 1),
        refundEvent('refund.failed', { ...first, status: 'failed' }, 50),
        refundEvent('refund.created', refundOf(payment, { amount: 11_800 }), 60),
        charge(payment, 11_800, 60),
      ];
    },
  ],
  'a refund that is on its way': [
    5_000,
    (payment) => {
      const refund = refundOf(payment, { status: 'pending' });
      return [refundEvent('refund.created', refund, 1), refundEvent('refund.updated', { ...refund, status: 'succeeded' }, 9)];
    },
  ],
  'a refund that failed beside a dispute that was lost': [
    5_000,
    (payment) => {
      const refund = refundOf(payment);
      const lost = dispute(payment, { amount: 5_900, status: 'lost' });
      return [
        refundEvent('refund.created', refund, 1),
        stripeEvent('charge.dispute.closed', lost),
        refundEvent('refund.failed', { ...refund, status: 'failed' }, 100),
      ];
    },
  ],
};

test.each(Object.entries(SCENES))(
  '%s leads to the same books in every order, repeats included',
  async (_name, [refunded, scene]) => {
    const count = scene('pi_any').length + 1;
    const places = Array.from({ length: count }, (_, at) => at);
    const order = fc.shuffledSubarray([...places, ...places], { minLength: 2 * count });
    await fc.assert(
      fc.asyncProperty(order, async (shuffled) => {
        const { session, payment } = makeSale();
        const events = [session, ...scene(payment)];
        await sendAll(shuffled.map((place) => events[place] as TestStripeEvent));
        expect(await booksOf(api, payment)).toEqual({
          amount: 10_000,
          refunded,
          commission: (10_000 - refunded) / 5,
          status: refunded === 0 ? 'pending' : refunded === 10_000 ? 'refunded' : 'partially_refunded',
          affiliateId: made.affiliateId,
          reason: null,
          isDisputed: false,
        });
      }),
      { numRuns: 6 },
    );
  },
  60_000,
);

test('all events of refunds of a payment at the same time lead to the same books', async () => {
  for (const [refunded, scene] of Object.values(SCENES)) {
    const { session, payment } = makeSale();
    await Promise.all([session, ...scene(payment)].map((event) => sendStripeEvent(api, made.endpoint, event)));
    expect(await booksOf(api, payment)).toMatchObject({ refunded, commission: (10_000 - refunded) / 5 });
  }
  expect(await verifyLedger(context())).toEqual([]);
}, 60_000);

test('a refund of an invoice that fails is found by its payment', async () => {
  const paid = invoice({ discounts: made.discounts as never });
  const refund = refundOf('pi_of_refunded_invoice');
  await sendAll([
    stripeEvent('invoice.paid', paid),
    refundEvent('refund.created', refund, 1),
    stripeEvent('invoice_payment.paid', invoicePayment(paid.id ?? '', 'pi_of_refunded_invoice')),
  ]);
  expect(await booksOf(api, paid.id)).toMatchObject({ refunded: 5_000, commission: 1_000 });
  await sendAll([refundEvent('refund.failed', { ...refund, status: 'failed' }, 100)]);
  expect(await booksOf(api, paid.id)).toMatchObject({ refunded: 0, commission: 2_000, status: 'pending' });
});

test('a refund without a payment is nothing', async () => {
  const refund = refundOf('', { payment_intent: null, charge: null });
  const response = await sendStripeEvent(api, made.endpoint, stripeEvent('refund.created', refund));
  expect(response.data).toEqual({ outcome: 'ignored', conversionId: null });
});
