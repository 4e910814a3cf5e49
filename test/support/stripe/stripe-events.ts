import type Stripe from 'stripe';
import stripeLibrary from 'stripe';
import type { TestApi, TestResponse } from '../api.ts';
import { unique } from '../factories.ts';

/** The part of an object that Stripe sends in API version 2026-10-28.endive and that is set here. */
type Part<T> = { [Name in keyof T]?: T[Name] };

export const seconds = (time: Date | number = Date.now()): number => Math.floor(Number(time) / 1_000);

const API_VERSION = '2026-10-28.endive';

export interface TestStripeEvent {
  id: string;
  object: 'event';
  type: string;
  account?: string;
  [name: string]: unknown;
}

export const stripeEvent = (type: string, object: object, more: Record<string, unknown> = {}): TestStripeEvent => ({
  id: `evt_${unique()}`,
  object: 'event',
  api_version: API_VERSION,
  created: seconds(),
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
  data: { object },
  ...more,
});

type Session = Stripe.Checkout.Session;

/** A paid session over 118.00 with 18.00 of tax. */
export const checkoutSession = (more: Part<Session> = {}): Part<Session> => ({
  id: `cs_test_${unique()}`,
  object: 'checkout.session',
  mode: 'payment',
  status: 'complete',
  payment_status: 'paid',
  created: seconds(),
  currency: 'usd',
  amount_subtotal: 10_000,
  amount_total: 11_800,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 1_800 },
  client_reference_id: null,
  customer: `cus_${unique()}`,
  customer_account: null,
  customer_details: {
    address: null,
    business_name: null,
    email: `buyer-${unique()}@example.org`,
    individual_name: null,
    name: 'Grace Buyer',
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  },
  discounts: [],
  invoice: null,
  subscription: null,
  livemode: false,
  metadata: {},
  payment_intent: `pi_${unique()}`,
  ...more,
});

export const subscriptionDetails = (subscription: string, metadata: Record<string, string> = {}): Stripe.Invoice.Parent => ({
  type: 'subscription_details',
  quote_details: null,
  subscription_details: { subscription, metadata },
});

/** The paid first invoice of a subscription over 118.00 with 18.00 of tax. */
export const invoice = (more: Part<Stripe.Invoice> = {}): Part<Stripe.Invoice> => ({
  id: `in_${unique()}`,
  object: 'invoice',
  status: 'paid',
  billing_reason: 'subscription_create',
  created: seconds(),
  currency: 'usd',
  customer: `cus_${unique()}`,
  customer_account: null,
  customer_email: `buyer-${unique()}@example.org`,
  amount_due: 11_800,
  amount_paid: 11_800,
  amount_remaining: 0,
  subtotal: 10_000,
  total: 11_800,
  total_excluding_tax: 10_000,
  total_taxes: [
    {
      amount: 1_800,
      tax_behavior: 'exclusive',
      tax_rate_details: null,
      taxability_reason: 'standard_rated',
      taxable_amount: 10_000,
      type: 'tax_rate_details',
    },
  ],
  discounts: [],
  metadata: {},
  parent: subscriptionDetails(`sub_${unique()}`),
  status_transitions: { finalized_at: seconds(), marked_uncollectible_at: null, paid_at: seconds(), voided_at: null },
  livemode: false,
  ...more,
});

export const invoicePayment = (invoiceId: string, paymentIntent: string): Part<Stripe.InvoicePayment> => ({
  id: `inpay_${unique()}`,
  object: 'invoice_payment',
  amount_paid: 11_800,
  amount_requested: 11_800,
  created: seconds(),
  currency: 'usd',
  invoice: invoiceId,
  is_default: true,
  livemode: false,
  payment: { type: 'payment_intent', payment_intent: paymentIntent },
  status: 'paid',
  status_transitions: { canceled_at: null, paid_at: seconds() },
});

export const refundedCharge = (
  paymentIntent: string | null,
  amountRefunded: number,
  more: Part<Stripe.Charge> = {},
): Part<Stripe.Charge> => ({
  id: `ch_${unique()}`,
  object: 'charge',
  amount: 11_800,
  amount_captured: 11_800,
  amount_refunded: amountRefunded,
  refunded: amountRefunded === 11_800,
  captured: true,
  paid: true,
  disputed: false,
  created: seconds(),
  currency: 'usd',
  livemode: false,
  metadata: {},
  payment_intent: paymentIntent,
  status: 'succeeded',
  ...more,
});

/** One refund of a payment, in a state. */
export const refundOf = (paymentIntent: string, more: Part<Stripe.Refund> = {}): Part<Stripe.Refund> => ({
  id: `re_${unique()}`,
  object: 'refund',
  amount: 5_900,
  charge: `ch_${unique()}`,
  created: seconds(),
  currency: 'usd',
  metadata: {},
  payment_intent: paymentIntent,
  reason: 'requested_by_customer',
  status: 'succeeded',
  ...more,
});

export const dispute = (paymentIntent: string, more: Part<Stripe.Dispute> = {}): Part<Stripe.Dispute> => ({
  id: `du_${unique()}`,
  object: 'dispute',
  amount: 11_800,
  charge: `ch_${unique()}`,
  created: seconds(),
  currency: 'usd',
  livemode: false,
  metadata: {},
  payment_intent: paymentIntent,
  reason: 'fraudulent',
  status: 'needs_response',
  ...more,
});

/** What customers type is `code`; payments name the id. */
export const promotionCode = (code: string) =>
  ({
    id: `promo_${unique()}`,
    object: 'promotion_code',
    active: true,
    code,
    created: seconds(),
    customer: null,
    expires_at: null,
    livemode: false,
    max_redemptions: null,
    metadata: {},
    promotion: { type: 'coupon', coupon: 'SUMMER' },
    times_redeemed: 0,
  }) satisfies Part<Stripe.PromotionCode>;

/** What an invoice names by its id alone. */
export const discountOf = (more: Part<Stripe.Discount> = {}): Part<Stripe.Discount> => ({
  id: `di_${unique()}`,
  object: 'discount',
  checkout_session: null,
  customer: `cus_${unique()}`,
  end: null,
  invoice: null,
  invoice_item: null,
  promotion_code: null,
  source: { type: 'coupon', coupon: 'SUMMER' },
  start: seconds() - 120,
  subscription: null,
  ...more,
});

export const subscriptionOf = (more: Part<Stripe.Subscription> = {}): Part<Stripe.Subscription> => ({
  id: `sub_${unique()}`,
  object: 'subscription',
  created: seconds() - 120,
  currency: 'usd',
  customer: `cus_${unique()}`,
  discounts: [],
  latest_invoice: null,
  livemode: false,
  metadata: {},
  status: 'active',
  ...more,
});

export const customerOf = (more: Part<Stripe.Customer> = {}): Part<Stripe.Customer> => ({
  id: `cus_${unique()}`,
  object: 'customer',
  created: seconds() - 120,
  email: `buyer-${unique()}@example.org`,
  livemode: false,
  metadata: {},
  ...more,
});

export interface StripeEndpoint {
  /** Null for the endpoint of Stripe Connect. */
  programId: string | null;
  secret: string;
}

/** Signed by the library's own test function. */
export const stripeSignature = (payload: string, secret: string, at: Date | number = Date.now()): Record<string, string> => ({
  'stripe-signature': stripeLibrary.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds(at) }),
});

export const sendStripeEvent = (api: TestApi, { programId, secret }: StripeEndpoint, event: unknown): Promise<TestResponse> => {
  const body = JSON.stringify(event);
  const path = programId === null ? '' : `/${programId}`;
  return api.raw('POST', `/api/integrations/stripe${path}`, { body, headers: stripeSignature(body, secret) });
};
