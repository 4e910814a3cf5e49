import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import {
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  refundedCharge,
  seconds,
  sendStripeEvent,
  stripeEvent,
} from '../../support/stripe/stripe-events.ts';
import { booksOf, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();

/** A payment, a partial refund, a larger one, and a dispute over a part that is lost. */
const moneyEvents = (payment: string) => {
  const disputed = dispute(payment, { amount: 3_540 });
  return [
    stripeEvent('charge.refunded', refundedCharge(payment, 1_180)),
    stripeEvent('charge.refunded', refundedCharge(payment, 5_900)),
    stripeEvent('charge.dispute.created', disputed),
    stripeEvent('charge.dispute.closed', { ...disputed, status: 'lost' }),
  ];
};

const EXPECTED = {
  amount: 10_000,
  refunded: 8_000,
  commission: 400,
  status: 'partially_refunded',
  reason: null,
  isDisputed: false,
};

test('events of a subscription lead to the same books in every order, repeats included', async () => {
  const made = await makeStripeProgram(api, { commissionHoldDays: 30 });
  const events = () => {
    const customer = `cus_${unique()}`;
    const payment = `pi_${unique()}`;
    const paid = invoice({ customer });
    const session = checkoutSession({
      mode: 'subscription',
      customer,
      payment_intent: null,
      invoice: paid.id ?? null,
      created: seconds() - 60,
      discounts: made.discounts,
    });
    const all = [
      stripeEvent('checkout.session.completed', session),
      stripeEvent('invoice.paid', paid),
      stripeEvent('invoice_payment.paid', invoicePayment(paid.id ?? '', payment)),
      ...moneyEvents(payment),
    ];
    return { saleId: paid.id, all };
  };
  const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 0, 1, 3, 5], { minLength: 11 });
  await fc.assert(
    fc.asyncProperty(order, async (places) => {
      const { saleId, all } = events();
      for (const place of places) expect((await sendStripeEvent(api, made.endpoint, all[place])).status).toBe(200);
      expect(await booksOf(api, saleId)).toEqual({ ...EXPECTED, affiliateId: made.affiliateId });
    }),
    { numRuns: 25 },
  );
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

test('events of one payment that are received at once lead to the same books', async () => {
  const made = await makeStripeProgram(api, { commissionHoldDays: 30 });
  for (let round = 0; round < 5; round++) {
    const session = checkoutSession({ discounts: made.discounts });
    const payment = session.payment_intent as string;
    const all = [stripeEvent('checkout.session.completed', session), ...moneyEvents(payment)];
    const responses = await Promise.all(all.map((event) => sendStripeEvent(api, made.endpoint, event)));
    expect(responses.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(await booksOf(api, payment)).toEqual({ ...EXPECTED, affiliateId: made.affiliateId });
  }
});

test.each([
  ['another program receives the events too', false],
  ['another program took the place of an archived one', true],
])('a payment that is received again once %s stays one sale, and its refund reaches the commission', async (_, isArchived) => {
  const made = await makeStripeProgram(api);
  const session = checkoutSession({ discounts: made.discounts });
  const payment = session.payment_intent as string;
  const paid = stripeEvent('checkout.session.completed', session);
  await sendStripeEvent(api, made.endpoint, paid);
  const other = await makeStripeProgram(api, {}, made.merchant);
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  await em.execute(`update program set created_at = created_at - interval '1 day' where id = ?`, [other.programId]);
  if (isArchived) await api.call('DELETE', `/programs/${made.programId}`, { key: made.key });
  for (const { endpoint } of [other, made])
    expect((await sendStripeEvent(api, endpoint, paid)).data).toEqual({ outcome: 'duplicate', conversionId: expect.any(String) });
  await sendStripeEvent(api, other.endpoint, stripeEvent('charge.refunded', refundedCharge(payment, 11_800)));
  expect(await em.execute('select program_id from sale where external_id = ?', [payment])).toEqual([
    { program_id: made.programId },
  ]);
  expect(await booksOf(api, payment)).toMatchObject({ affiliateId: made.affiliateId, refunded: 10_000, commission: 0 });
});
