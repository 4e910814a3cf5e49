import type { BillingStatusView, BillingTierView } from './billing.wire.ts';

export const billingTierExamples: BillingTierView[] = [
  {
    id: 'starter',
    name: 'Starter',
    price: 2_900,
    maxRevenue: 1_000_000,
    features: ['60 requests per minute per API key', '2 GB of marketing resources'],
    bookable: true,
  },
];

export const billingStatusExample: BillingStatusView = {
  tier: 'free',
  monthlyRevenue: 86_200,
  maxRevenue: 100_000,
  currency: 'usd',
  byCurrency: [{ currency: 'usd', monthlyRevenue: 86_200, maxRevenue: 100_000 }],
  nextTier: 'starter',
  billingRequirementStatus: 'not_required',
  paymentProvider: 'stripe',
  paymentStatus: 'active',
  gracePeriodEndsAt: null,
  stripeSubscriptionId: null,
  requestedTier: null,
  paymentUrl: null,
};

export const subscribedExample: { data: BillingStatusView; body: unknown } = {
  data: {
    ...billingStatusExample,
    paymentStatus: 'incomplete',
    stripeSubscriptionId: 'sub_1Qk2aB3cD4eF5gH6',
    requestedTier: 'starter',
    paymentUrl: 'https://invoice.stripe.com/i/acct_1/test_1',
  },
  body: { tier: 'starter' },
};

const subscription = {
  id: 'sub_1Qk2aB3cD4eF5gH6',
  object: 'subscription',
  customer: 'cus_R8s7T6u5V4w3',
  status: 'active',
};

export const billingEventExamples = {
  'customer.subscription.updated': {
    id: 'evt_1Qk2aB3cD4eF5gH6',
    type: 'customer.subscription.updated',
    created: 1_768_471_800,
    data: { object: subscription },
  },
  'invoice.payment_failed': {
    id: 'evt_1Qk2aB3cD4eF5gH7',
    type: 'invoice.payment_failed',
    created: 1_768_471_800,
    data: {
      object: {
        id: 'in_1Qk2aB3cD4eF5gH6',
        customer: subscription.customer,
        parent: { subscription_details: { subscription: subscription.id } },
      },
    },
  },
};
