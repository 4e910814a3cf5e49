import { z } from 'zod';
import { BROWSER, visitorId } from '../api/tracking/support.ts';
import { anyAddress } from '../support/api.ts';
import { saleEvent, signedHeaders, unique } from '../support/factories.ts';
import { checkoutSession, dispute, refundedCharge, stripeEvent, stripeSignature } from '../support/stripe/stripe-events.ts';
import { postFrom } from './retrying-client.ts';
import { type Affiliate, type Customer, count, type Merchant, type SoldItem, type World } from './world.ts';

const clickShape = z.object({ data: z.object({ status: z.string(), clickToken: z.string().nullable() }) });

/** A click that the script of the website reports; remembered for a later sale when it counts. */
export const clickOn = async (world: World, merchant: Merchant, affiliate: Affiliate, from = anyAddress()): Promise<void> => {
  const body = JSON.stringify({
    programId: merchant.programId,
    pageUrl: `${merchant.website}/pricing?via=${affiliate.code}`,
    referralCode: affiliate.code,
    visitorId: visitorId(),
  });
  const headers = () => ({ origin: merchant.website, 'user-agent': BROWSER });
  const response = await postFrom(from, `${world.origin}/api/tracking/click`, body, headers);
  if (response.status >= 300) throw new Error(`A click was refused: ${response.status} ${response.text}`);
  const { status, clickToken } = clickShape.parse(JSON.parse(response.text)).data;
  count(world, status === 'ok' ? 'clicks' : 'ignored clicks');
  if (clickToken !== null) affiliate.clicks.push({ token: clickToken, day: world.day });
};

const outcomeShape = z.object({ data: z.object({ outcome: z.string(), conversionId: z.string().nullable() }) });

type Outcome = z.infer<typeof outcomeShape>['data'];

const keepSale = (
  world: World,
  merchant: Merchant,
  sale: Pick<SoldItem, 'saleId' | 'amount' | 'paymentIntent'>,
  { outcome, conversionId }: Outcome,
): void => {
  count(world, outcome === 'unattributed' ? 'unattributed sales' : 'sales');
  merchant.sales.push({ ...sale, day: world.day, conversionId, isRefunded: false, dispute: null });
  if (conversionId !== null) world.acknowledged.push({ kind: 'conversion', id: conversionId });
};

/** Reports a signed event of a payment system. */
const report = (world: World, { programId, eventSecret }: Merchant, event: unknown): Promise<Outcome> => {
  const body = JSON.stringify(event);
  return post(`${world.origin}/api/integrations/events/${programId}`, body, () => signedHeaders(eventSecret, body));
};

/** Reports an event of the merchant's Stripe account. */
const reportStripe = (world: World, { programId, stripeSecret }: Merchant, type: string, object: object): Promise<Outcome> => {
  const body = JSON.stringify(stripeEvent(type, object));
  return post(`${world.origin}/api/integrations/stripe/${programId}`, body, () => stripeSignature(body, stripeSecret ?? ''));
};

const post = async (url: string, body: string, sign: () => Record<string, string>): Promise<Outcome> => {
  const response = await postFrom(anyAddress(), url, body, sign);
  if (response.status >= 300) throw new Error(`An event was refused: ${response.status} ${response.text}`);
  return outcomeShape.parse(JSON.parse(response.text)).data;
};

export interface Order {
  customer: Customer;
  amount: number;
  evidence: Evidence;
}

export interface Evidence {
  clickToken?: string;
  couponCode?: string;
  referralCode?: string;
}

export const sell = async (world: World, merchant: Merchant, { customer, amount, evidence }: Order): Promise<void> => {
  if (merchant.stripeSecret !== null) return sellByStripe(world, merchant, { customer, amount, evidence });
  const { currency } = merchant.plan.program;
  const saleId = `sale-${unique()}`;
  const event = saleEvent({ saleId, amount, currency, customer, subscriptionId: `sub-${customer.id}`, ...evidence });
  keepSale(world, merchant, { saleId, amount, paymentIntent: null }, await report(world, merchant, event));
};

export const refund = async (world: World, merchant: Merchant, sale: SoldItem, amount: number): Promise<void> => {
  sale.isRefunded = true;
  count(world, 'refunds');
  if (sale.paymentIntent !== null)
    return refundByStripe(world, merchant, sale.paymentIntent, { amount: sale.amount, refunded: amount });
  const now = new Date().toISOString();
  const data = { saleId: sale.saleId, refundId: `refund-${unique()}`, amount, occurredAt: now };
  await report(world, merchant, { type: 'sale.refunded', timestamp: now, data });
};

/** Stripe knows clicks and coupons, and no referral codes. */
const sellByStripe = async (world: World, merchant: Merchant, { customer, amount, evidence }: Order): Promise<void> => {
  const session = checkoutSession({
    amount_subtotal: amount,
    amount_total: amount,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    currency: merchant.plan.program.currency,
    customer: `cus_${customer.id}`,
    client_reference_id: evidence.clickToken ?? null,
    discounts: evidence.couponCode === undefined ? [] : [{ coupon: evidence.couponCode, promotion_code: null }],
  });
  if (session.customer_details) session.customer_details.email = customer.email;
  const paymentIntent = String(session.payment_intent);
  const outcome = await reportStripe(world, merchant, 'checkout.session.completed', session);
  keepSale(world, merchant, { saleId: String(session.id), amount, paymentIntent }, outcome);
};

/** `refunded` of `amount`, once. */
const refundByStripe = async (
  world: World,
  merchant: Merchant,
  paymentIntent: string,
  { amount, refunded }: { amount: number; refunded: number },
): Promise<void> => {
  const charge = { amount, amount_captured: amount, refunded: refunded === amount, currency: merchant.plan.program.currency };
  await reportStripe(world, merchant, 'charge.refunded', refundedCharge(paymentIntent, refunded, charge));
};

/** The customer's bank asks for the money back: the commission is held until the dispute is closed. */
export const openDispute = async (world: World, merchant: Merchant, sale: SoldItem): Promise<void> => {
  if (sale.paymentIntent === null) return;
  sale.dispute = { id: `du_${unique()}`, day: world.day };
  const { id } = sale.dispute;
  await reportStripe(world, merchant, 'charge.dispute.created', dispute(sale.paymentIntent, { id, amount: sale.amount }));
  count(world, 'disputes');
};

export const closeDispute = async (world: World, merchant: Merchant, sale: SoldItem, status: 'won' | 'lost'): Promise<void> => {
  if (sale.paymentIntent === null || sale.dispute === null) return;
  const { id } = sale.dispute;
  sale.dispute = null;
  sale.isRefunded = true;
  await reportStripe(world, merchant, 'charge.dispute.closed', dispute(sale.paymentIntent, { id, amount: sale.amount, status }));
  count(world, `disputes ${status}`);
};
