const OF_SUBSCRIPTION = 'Subscription at Stripe; null if there is none';

/** Fields of billing tiers, the billing status and the setup of a merchant. */
export const BILLING_FIELDS: Readonly<Record<string, string>> = {
  'BillingTier.id': 'Name of the tier in requests',
  'BillingTier.name': 'Display name of the tier',
  price: 'Price of a month in usd',
  'BillingTier.maxRevenue': 'Revenue of a calendar month that the tier covers, in usd; 9007199254740991 if it has no limit',
  features: 'What the tier includes, as text for people',
  bookable: 'Whether `POST /billing/subscribe` accepts the tier',

  'BillingStatus.tier': 'The tier that applies now',
  'subscribeToTier.tier': 'The tier to subscribe to',
  monthlyRevenue:
    'Sales credited to affiliates in this calendar month of your time zone, less refunds, in the currency beside it',
  'BillingStatus.maxRevenue': 'Revenue of a month that the tier covers, in usd; 9007199254740991 if it has no limit',
  'BillingStatus.currency':
    'Currency of `monthlyRevenue` and `maxRevenue`: always usd. Sales in other currencies do not count toward the limit',
  'byCurrency.currency': 'Currency of the amounts beside it: ISO 4217 code, lower case',
  'BillingStatus.byCurrency': 'The revenue of the month in each currency, the highest first; empty without sales',
  nextTier: 'The next higher tier; null for the highest',
  paymentProvider: '`stripe`: payments are collected. `none`: this server collects no payments, and a tier changes at once',
  gracePeriodEndsAt:
    'When an overdue payment makes the status `restricted`: 14 days after it failed. Null while no payment is overdue',
  stripeSubscriptionId: OF_SUBSCRIPTION,
  requestedTier: 'The tier that applies once the first invoice is paid; null if none waits',
  paymentUrl: 'Page at Stripe where the open invoice is paid; null if there is none',

  'BillingEvent.id': 'Id of the event',
  'BillingEvent.type': 'Type of the event; others than those of subscriptions and their invoices are ignored',
  'BillingEvent.created': 'When the event occurred, in Unix seconds',
  'BillingEvent.data': 'What the event is about',
  'BillingEvent.object': 'The subscription or the invoice, as Stripe describes it; only the fields named here are read',
  'BillingEvent.customer': 'Customer at Stripe',
  'BillingEvent.parent': 'What the invoice is for',
  'BillingEvent.subscription_details': 'The subscription that the invoice belongs to',
  'BillingEvent.subscription': OF_SUBSCRIPTION,
  'BillingResult.outcome':
    '`applied`: the subscription was read from Stripe and applied. `ignored`: of a type or customer that is not used',

  'MerchantProfile.merchantId': 'The merchant that the key belongs to',

  'ProgramStats.programId': 'The program that was asked for',
  'ProgramStats.status': 'Only `active` programs credit sales to affiliates',
  'ProgramStats.currency': 'Currency of the program: ISO 4217 code, lower case',
  'ProgramStats.totalRevenue': 'Sum of the credited sales, less refunds; rejected ones are not included',
  'ProgramStats.totalConversions': 'Number of conversions, whatever their status',
  'ProgramStats.totalCommissions': 'Sum of the commissions, after refunds',
  pendingCommissions:
    'Commissions in their hold period, not payable yet. This is not the `pendingAmount` of `GET /payouts/pending`',
  activeAffiliates: 'Number of affiliates who are approved today, whatever the period',
  conversionsByStatus: 'Number of conversions with each status',
  'ProgramStats.pending': 'Number of conversions in their hold period',
  'ProgramStats.approved': 'Number of conversions whose commission is payable or paid',
  partiallyRefunded: 'Number of conversions with the status `partially_refunded`',
  rejected: 'Number of conversions whose commission was taken back without a refund',
  refunded: 'Number of conversions whose sale was refunded in full',
};
