import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import {
  checkoutSession,
  invoice,
  invoicePayment,
  refundedCharge,
  seconds,
  stripeEvent,
  subscriptionDetails,
  type TestStripeEvent,
} from '../../support/stripe/stripe-events.ts';
import { makeTwoPrograms, type StripeSide } from '../../support/stripe/two-programs.ts';

const api = useTestApi();
const COMPLETED = 'checkout.session.completed';
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

type Session = NonNullable<Parameters<typeof checkoutSession>[0]>;
type Two = Awaited<ReturnType<typeof makeTwoPrograms>>;

let two: Two;
beforeAll(async () => {
  two = await makeTwoPrograms(api);
});

/** Evidence of a payment that leads to the program of `own`, although some of it is of `other`. */
const CLUES: Readonly<Record<string, (own: StripeSide, other: StripeSide) => Session>> = {
  agentref_pid: (own) => ({ metadata: { agentref_pid: own.programId }, discounts: own.discounts }),
  'agentref_pid before a click and a coupon': (own, other) => ({
    metadata: { agentref_pid: own.programId, agentref_cid: other.clickToken },
    discounts: other.discounts,
  }),
  'a click': ({ clickToken }) => ({ metadata: { agentref_cid: clickToken } }),
  'a click in client_reference_id': ({ clickToken }) => ({ client_reference_id: clickToken }),
  'a click before a coupon': ({ clickToken }, other) => ({ metadata: { agentref_cid: clickToken }, discounts: other.discounts }),
  'a coupon': ({ discounts }) => ({ discounts }),
  'a coupon behind a click of nobody': ({ discounts }) => ({ discounts, client_reference_id: `clk_${'0'.repeat(32)}` }),
};

const creditedBy = (name: string): boolean => name !== 'agentref_pid before a click and a coupon';

describe.each(Object.keys(CLUES))('a payment with %s', (name) => {
  const clueOf = CLUES[name] ?? (() => ({}));

  it.each([
    ['the own endpoint', ['own']],
    ['the other endpoint', ['other']],
    ['both, the own one first', ['own', 'other']],
    ['both, the other one first, and again', ['other', 'own', 'other', 'own']],
  ] as const)('is of the program that it leads to when it comes to %s', async (_where, endpoints) => {
    for (const [own, other] of [
      [two.a, two.b],
      [two.b, two.a],
    ] as const) {
      const session = checkoutSession(clueOf(own, other));
      const event = stripeEvent(COMPLETED, session);
      for (const endpoint of endpoints) await two.send({ own, other }[endpoint].endpoint, event);
      expect(await two.placesOf(session.payment_intent as string)).toEqual([
        expect.objectContaining({
          programId: own.programId,
          affiliateId: creditedBy(name) ? own.affiliateId : null,
          reason: creditedBy(name) ? null : 'NO_MATCH',
        }),
      ]);
    }
  });

  it('is booked once when both endpoints receive it at the same time, several times', async () => {
    const session = checkoutSession(clueOf(two.b, two.a));
    const event = stripeEvent(COMPLETED, session);
    const sent = [two.a, two.b, two.a, two.b, two.a].map(({ endpoint }) => two.send(endpoint, event));
    const outcomes = (await Promise.all(sent)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(4);
    expect(await two.placesOf(session.payment_intent as string)).toMatchObject([{ programId: two.b.programId }]);
  });
});

/** A subscription of the second program whose invoices say nothing: its session, two invoices, their payments and a refund. */
const subscriptionEvents = (own: StripeSide, customer: string) => {
  const subscription = `sub_${unique()}`;
  const now = seconds();
  const paidAt = (paid_at: number) => ({ finalized_at: paid_at, marked_uncollectible_at: null, paid_at, voided_at: null });
  const parent = subscriptionDetails(subscription);
  const first = invoice({ customer, parent, status_transitions: paidAt(now - 50) });
  const renewal = invoice({ customer, parent, billing_reason: 'subscription_cycle', status_transitions: paidAt(now - 10) });
  const session = checkoutSession({
    mode: 'subscription',
    customer,
    subscription,
    payment_intent: null,
    invoice: first.id ?? null,
    created: now - 60,
    client_reference_id: own.clickToken,
  });
  const payment = `pi_${unique()}`;
  const events: TestStripeEvent[] = [
    stripeEvent(COMPLETED, session),
    stripeEvent('invoice.paid', first),
    stripeEvent('invoice.paid', renewal),
    stripeEvent('invoice_payment.paid', invoicePayment(first.id ?? '', payment)),
    stripeEvent('charge.refunded', refundedCharge(payment, 5_900)),
  ];
  return { events, first: first.id, renewal: renewal.id };
};

test('a subscription is of the program that its session leads to, in every order, at either endpoint, repeats included', async () => {
  const delivery = fc.record({ event: fc.nat(4), at: fc.constantFrom('a', 'b') });
  const all = [0, 1, 2, 3, 4].map((event) => ({ event, at: 'b' as const }));
  const deliveries = fc
    .array(delivery, { maxLength: 8 })
    .chain((more) => fc.shuffledSubarray([...all, ...more], { minLength: all.length + more.length }));
  await fc.assert(
    fc.asyncProperty(deliveries, async (order) => {
      const { events, first, renewal } = subscriptionEvents(two.b, `cus_${unique()}`);
      for (const { event, at } of order) await two.send(two[at as 'a' | 'b'].endpoint, events[event] as TestStripeEvent);
      const { programId, affiliateId } = two.b;
      const credited = { programId, affiliateId, reason: null };
      expect(await two.placesOf(first)).toEqual([
        { ...credited, refunded: 5_000, commission: 1_000, status: 'partially_refunded' },
      ]);
      expect(await two.placesOf(renewal)).toEqual([{ ...credited, refunded: 0, commission: 2_000, status: 'pending' }]);
    }),
    { numRuns: 20 },
  );
  expect(await verifyLedger(context())).toEqual([]);
}, 120_000);

test('events of a subscription that come to both endpoints at the same time lead to the same', async () => {
  for (let round = 0; round < 3; round++) {
    const { events, first, renewal } = subscriptionEvents(two.b, `cus_${unique()}`);
    await Promise.all(events.flatMap((event) => [two.a, two.b].map(({ endpoint }) => two.send(endpoint, event))));
    const credited = { programId: two.b.programId, affiliateId: two.b.affiliateId, reason: null };
    expect(await two.placesOf(first)).toMatchObject([{ ...credited, refunded: 5_000 }]);
    expect(await two.placesOf(renewal)).toMatchObject([credited]);
  }
  expect(await verifyLedger(context())).toEqual([]);
}, 60_000);

describe('a customer', () => {
  it('without evidence of the payment, the program is where the customer was attributed last', async () => {
    const customer = `cus_${unique()}`;
    const buy = async (more: Session, minutesAgo: number, endpoint = two.a.endpoint) => {
      const session = checkoutSession({ customer, ...more });
      await two.send(endpoint, stripeEvent(COMPLETED, session, { created: seconds() - minutesAgo * 60 }));
      return two.placesOf(session.payment_intent as string);
    };
    await buy({ discounts: two.a.discounts }, 30);
    await buy({ discounts: two.b.discounts }, 20);
    expect(await buy({}, 10)).toMatchObject([{ programId: two.b.programId, affiliateId: two.b.affiliateId }]);
    expect(await buy({}, 25, two.b.endpoint)).toMatchObject([{ programId: two.a.programId, affiliateId: two.a.affiliateId }]);
  });

  it('payments that came before the evidence of their customer are credited once it comes', async () => {
    const customer = `cus_${unique()}`;
    const plain = checkoutSession({ customer });
    await two.send(two.a.endpoint, stripeEvent(COMPLETED, plain));
    expect(await two.placesOf(plain.payment_intent as string)).toMatchObject([
      { programId: two.a.programId, reason: 'NO_MATCH' },
    ]);
    const { events } = subscriptionEvents(two.b, customer);
    await two.send(two.a.endpoint, events[0] as TestStripeEvent);
    expect(await two.placesOf(plain.payment_intent as string)).toMatchObject([
      { programId: two.b.programId, affiliateId: two.b.affiliateId, reason: null },
    ]);
  });
});

test('a payment that leads to nobody is listed once, in one program, whichever endpoint is faster', async () => {
  const made = await makeTwoPrograms(api);
  for (const endpoints of [
    [made.a, made.b],
    [made.b, made.a],
    [made.b, made.a, made.b],
  ]) {
    const session = checkoutSession();
    const event = stripeEvent(COMPLETED, session);
    for (const { endpoint } of endpoints) await made.send(endpoint, event);
    expect(await made.placesOf(session.payment_intent as string)).toMatchObject([
      { programId: made.a.programId, reason: 'NO_MATCH' },
    ]);
  }
  const { data } = await api.call('GET', '/sales', {
    key: made.key,
    query: { programId: made.b.programId, attributed: 'false' },
  });
  expect(data).toEqual([]);
  const counted = await api.call('GET', '/sales', { key: made.key, query: { programId: made.a.programId, attributed: 'false' } });
  expect(counted.meta.total).toBe(3);
  expect(await made.openProblems()).toEqual([]);
});
