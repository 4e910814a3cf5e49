import { randomUUID } from 'node:crypto';
import { type PaidTier, type PaymentProvider, TIER_TERMS } from '../../contracts/billing.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { AppError, conflict } from '../../platform/errors.ts';
import { type StripeBilling, StripeCallError } from '../../platform/stripe/stripe-billing.ts';
import { MERCHANT_BILLING } from '../merchants/index.ts';
import { getBillingAccount } from './billing.queries.ts';
import type { BillingAccount } from './billing.wire.ts';
import { orderAtStripe } from './order-at-stripe.ts';
import { syncSubscription } from './sync-subscription.ts';
import { beginSubscription } from './use-cases/begin-subscription.ts';
import { endSubscriptionRequest } from './use-cases/end-subscription-request.ts';
import { saveStripeCustomer } from './use-cases/save-stripe-customer.ts';

/**
 * Orders the tier at Stripe, if Stripe collects payments, and returns who does. Network calls: not in a transaction. A crash
 * at any line is repaired by the next request or event: both read the customer's subscription from Stripe first.
 */
export const requestSubscription = async (ctx: Context, tier: PaidTier): Promise<PaymentProvider> => {
  const account = await getBillingAccount(ctx, merchantOf(ctx));
  await assertCovered(ctx, account, tier);
  const { stripeBilling } = ctx.settings;
  if (!stripeBilling) return 'none';
  const requestId = randomUUID();
  const customerId = await beginSubscription(ctx, { merchantId: account.id, requestId });
  try {
    await subscribe(ctx, stripeBilling, { account, tier, requestId, customerId });
  } catch (error) {
    if (!(error instanceof StripeCallError)) throw error;
    ctx.log.warn({ err: error, merchantId: account.id }, 'subscribing at Stripe failed');
    throw new AppError('INTERNAL_ERROR', 'Stripe did not confirm the subscription. Try again');
  } finally {
    await endSubscriptionRequest(ctx, { requestId });
  }
  return 'stripe';
};

const assertCovered = async (ctx: Context, account: BillingAccount, tier: PaidTier): Promise<void> => {
  const { maxRevenue } = TIER_TERMS[tier];
  const monthlyRevenue = MERCHANT_BILLING.billedRevenueOf(await MERCHANT_BILLING.findMonthlyRevenue(ctx, account));
  if (monthlyRevenue <= maxRevenue) return;
  throw conflict('REVENUE_ABOVE_TIER', 'The revenue of this month is above what the tier covers', { monthlyRevenue, maxRevenue });
};

interface Subscriber {
  account: BillingAccount;
  tier: PaidTier;
  requestId: string;
  customerId: string | null;
}

const subscribe = async (
  ctx: Context,
  stripe: StripeBilling,
  { account, tier, requestId, ...known }: Subscriber,
): Promise<void> => {
  const { id: merchantId, companyName: name, email } = account;
  const customerId = known.customerId ?? (await stripe.createCustomer({ merchantId, name, email, requestId }));
  // Stored before it has a subscription, whose events name it.
  if (known.customerId === null) await saveStripeCustomer(ctx, { merchantId, customerId });
  const subscriptionId = await orderAtStripe(ctx, stripe, { merchantId, customerId, tier, requestId });
  await syncSubscription(ctx, stripe, { merchantId, subscriptionId, failedAt: null });
};
