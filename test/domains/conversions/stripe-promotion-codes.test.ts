import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeCoupon, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import {
  checkoutSession,
  invoice,
  promotionCode,
  seconds,
  sendStripeEvent,
  stripeEvent,
} from '../../support/stripe/stripe-events.ts';
import { booksOf, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();
type Made = Awaited<ReturnType<typeof makeStripeProgram>>;

const send = (made: Made, type: string, object: object) => sendStripeEvent(api, made.endpoint, stripeEvent(type, object));
const teach = (made: Made, object: object, type = 'promotion_code.created') => send(made, type, object);

/** Pays with a promotion code, which the payment names by its id, on a Stripe coupon that is no affiliate's. */
const pay = async (made: Made, promotion: string, coupon = 'SUMMER') => {
  const session = checkoutSession({ discounts: [{ coupon, promotion_code: promotion }] });
  await send(made, 'checkout.session.completed', session);
  return booksOf(api, session.payment_intent as string);
};

it.each(['promotion_code.created', 'promotion_code.updated'])(
  'a payment with a promotion code is credited by the text of the code, which %s tells, in any case',
  async (type) => {
    const made = await makeStripeProgram(api);
    const promotion = promotionCode(made.coupon.toUpperCase());
    expect((await teach(made, promotion, type)).data).toEqual({ outcome: 'recorded', conversionId: null });
    expect(await pay(made, promotion.id)).toMatchObject({ affiliateId: made.affiliateId, commission: 2_000, reason: null });
    const { data } = await api.call('GET', '/conversions', { key: made.key });
    const detail = await api.call('GET', `/conversions/${data[0].id}`, { key: made.key });
    expect(detail.data.attribution).toMatchObject({ rule: 'coupon', code: made.coupon.toUpperCase() });
  },
);

it('a subscription that begins with a promotion code is credited from its first invoice', async () => {
  const made = await makeStripeProgram(api);
  const promotion = promotionCode(made.coupon);
  await teach(made, promotion);
  const customer = `cus_${unique()}`;
  const first = invoice({ customer });
  await send(made, 'invoice.paid', first);
  const session = checkoutSession({
    mode: 'subscription',
    customer,
    invoice: first.id ?? null,
    payment_intent: null,
    created: seconds() - 60,
    discounts: [{ coupon: 'SUMMER', promotion_code: promotion.id }],
  });
  expect((await send(made, 'checkout.session.completed', session)).data.outcome).toBe('recorded');
  expect(await booksOf(api, first.id)).toMatchObject({ affiliateId: made.affiliateId, commission: 2_000 });
});

it('the text of a promotion code comes before the id of the Stripe coupon behind it', async () => {
  const made = await makeStripeProgram(api);
  const { affiliateId } = await makeAffiliate(api.runtime, made.programId);
  const { couponCode } = await makeCoupon(api.runtime, { programId: made.programId, affiliateId });
  const promotion = promotionCode(made.coupon);
  await teach(made, promotion);
  expect(await pay(made, promotion.id, couponCode)).toMatchObject({ affiliateId: made.affiliateId });
});

it('a code that is told again changes nothing, and one of another merchant says nothing', async () => {
  const [made, other] = [await makeStripeProgram(api), await makeStripeProgram(api)];
  const promotion = promotionCode(made.coupon);
  await teach(other, promotion);
  expect(await pay(made, promotion.id)).toMatchObject({ affiliateId: null, reason: 'NO_MATCH' });
  await teach(made, promotion);
  expect((await teach(made, { ...promotion, active: false }, 'promotion_code.updated')).data.outcome).toBe('duplicate');
  expect(await pay(made, promotion.id)).toMatchObject({ affiliateId: made.affiliateId });
});

it('a text that no coupon can have is ignored, and an event without one waits for a person', async () => {
  const made = await makeStripeProgram(api);
  expect((await teach(made, promotionCode('x'.repeat(51)))).data.outcome).toBe('ignored');
  expect((await teach(made, { ...promotionCode('SUMMER20'), code: null })).data.outcome).toBe('needs_review');
  expect(await rowsOf(api, 'select from stripe_promotion_code where merchant_id = ?', [made.merchantId])).toEqual([]);
});
