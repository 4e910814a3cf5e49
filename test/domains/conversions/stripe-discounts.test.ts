import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeClick, unique } from '../../support/factories.ts';
import {
  customerOf,
  discountOf,
  invoice,
  promotionCode,
  sendStripeEvent,
  stripeEvent,
  subscriptionDetails,
  subscriptionOf,
  type TestStripeEvent,
} from '../../support/stripe/stripe-events.ts';
import { booksOf, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();

type Made = Awaited<ReturnType<typeof makeOne>>;

const makeOne = async () => {
  const made = await makeStripeProgram(api, { commissionHoldDays: 30 });
  const { clickToken } = await makeClick(api.runtime, made, 60);
  return { ...made, clickToken };
};

let made: Made;
beforeAll(async () => {
  made = await makeOne();
});

const sendAll = async (events: readonly TestStripeEvent[]) => {
  for (const event of events) expect((await sendStripeEvent(api, made.endpoint, event)).status).toBe(200);
};

interface Scene {
  paid: ReturnType<typeof invoice>;
  events: TestStripeEvent[];
}

/** The first invoice of a subscription, and what tells where its customer came from. Old shapes are no longer in the types. */
type Make = (of: { customer: string; subscription: string; made: Made }) => { paid?: object; more: TestStripeEvent[] };

const discountEvent = (object: object) => stripeEvent('customer.discount.created', object);

const SCENES: Readonly<Record<string, Make>> = {
  'an invoice that names a discount of a promotion code by its id': ({ customer, subscription, made }) => {
    const promotion = promotionCode(made.coupon);
    const discount = discountOf({ customer, subscription, promotion_code: promotion.id });
    return {
      paid: { discounts: [discount.id] },
      more: [stripeEvent('promotion_code.updated', promotion), discountEvent(discount)],
    };
  },
  'an invoice whose total names a discount by its id': ({ customer, made }) => {
    const discount = discountOf({ customer, source: { type: 'coupon', coupon: made.coupon } });
    return { paid: { total_discount_amounts: [{ amount: 500, discount: discount.id }] }, more: [discountEvent(discount)] };
  },
  'an invoice with the discount itself, of a promotion code': ({ made }) => {
    const promotion = promotionCode(made.coupon);
    return {
      paid: { discounts: [discountOf({ promotion_code: promotion.id })] },
      more: [stripeEvent('promotion_code.created', promotion)],
    };
  },
  'an invoice with the discount itself, of a coupon': ({ made }) => ({
    paid: { discounts: [discountOf({ source: { type: 'coupon', coupon: made.coupon } })] },
    more: [],
  }),
  'an invoice of an older API version with one discount': ({ made }) => ({
    paid: { discount: { id: 'di_old', object: 'discount', coupon: { id: made.coupon, object: 'coupon' }, promotion_code: null } },
    more: [],
  }),
  'a discount of the customer': ({ customer, made }) => {
    const discount = discountOf({ customer, source: { type: 'coupon', coupon: made.coupon } });
    return { more: [discountEvent(discount)] };
  },
  'a discount of the subscription': ({ customer, subscription, made }) => {
    const discount = discountOf({ customer, subscription, source: { type: 'coupon', coupon: made.coupon } });
    return { more: [discountEvent(discount)] };
  },
  'a discount of the subscription in its own event': ({ customer, subscription, made }) => {
    const discount = discountOf({ customer, source: { type: 'coupon', coupon: made.coupon } });
    const object = subscriptionOf({ id: subscription, customer, discounts: [discount] as never });
    return { more: [stripeEvent('customer.subscription.created', object)] };
  },
  'metadata of the subscription in its own event': ({ customer, subscription, made }) => {
    const object = subscriptionOf({ id: subscription, customer, metadata: { agentref_cid: made.clickToken } });
    return { more: [stripeEvent('customer.subscription.created', object)] };
  },
  'metadata that the subscription got later': ({ customer, subscription, made }) => {
    const object = subscriptionOf({ id: subscription, customer, metadata: { agentref_cid: made.clickToken } });
    return { more: [stripeEvent('customer.subscription.updated', object)] };
  },
  'metadata of the subscription that the invoice repeats': ({ subscription, made }) => ({
    paid: { parent: subscriptionDetails(subscription, { agentref_cid: made.clickToken }) },
    more: [],
  }),
  'metadata of the customer': ({ customer, made }) => ({
    more: [stripeEvent('customer.created', customerOf({ id: customer, metadata: { agentref_cid: made.clickToken } }))],
  }),
  'metadata that the customer got later': ({ customer, made }) => ({
    more: [stripeEvent('customer.updated', customerOf({ id: customer, metadata: { agentref_cid: made.clickToken } }))],
  }),
};

const sceneOf = (make: Make): Scene => {
  const [customer, subscription] = [`cus_${unique()}`, `sub_${unique()}`];
  const { paid: given = {}, more } = make({ customer, subscription, made });
  const paid = invoice({ customer, parent: subscriptionDetails(subscription), ...given });
  return { paid, events: [stripeEvent('invoice.paid', paid), ...more] };
};

test.each(Object.entries(SCENES))(
  '%s is credited, in every order, repeats included',
  async (_name, make) => {
    const count = sceneOf(make).events.length;
    const places = Array.from({ length: count }, (_, at) => at);
    const order = fc.shuffledSubarray([...places, ...places], { minLength: 2 * count });
    await fc.assert(
      fc.asyncProperty(order, async (shuffled) => {
        const { paid, events } = sceneOf(make);
        await sendAll(shuffled.map((place) => events[place] as TestStripeEvent));
        expect(await booksOf(api, paid.id)).toMatchObject({ affiliateId: made.affiliateId, commission: 2_000, reason: null });
      }),
      { numRuns: count === 1 ? 1 : 5 },
    );
  },
  60_000,
);

test('the books are right after all of it', async () => {
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

test('a discount of nobody, and metadata that says nothing, attribute nobody', async () => {
  const customer = `cus_${unique()}`;
  const paid = invoice({ customer, discounts: ['di_of_nobody'] });
  const plain = [
    stripeEvent('invoice.paid', paid),
    stripeEvent('customer.discount.created', discountOf({ id: 'di_of_nobody', customer })),
    stripeEvent('customer.created', customerOf({ id: customer, metadata: { plan: 'pro' } })),
    stripeEvent('customer.subscription.created', subscriptionOf({ customer })),
  ];
  await sendAll(plain);
  expect(await booksOf(api, paid.id)).toMatchObject({ affiliateId: null, reason: 'NO_MATCH' });
});
