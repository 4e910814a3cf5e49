import { randomUUID } from 'node:crypto';
import { ceilingOf, type PaidTier, type PaymentProvider } from '../../contracts/billing.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, inTransaction, merchantOf } from '../../platform/context.ts';
import { execute, firstRow } from '../../platform/database/sql.ts';
import { AppError, conflict } from '../../platform/errors.ts';
import { findAboveTier, findMonthlyRevenue } from '../merchants/index.ts';
import { db } from '../tables.ts';
import { getBillingAccount } from './billing.queries.ts';
import type { BillingAccount } from './billing.wire.ts';
import { orderAtStripe } from './order-at-stripe.calls.ts';
import { type StripeBilling, StripeCallError } from './stripe-billing.calls.ts';
import { subscriptionInProgress } from './subscription-state.rules.ts';
import { syncSubscription } from './sync-subscription.calls.ts';

/**
 * Orders the tier at Stripe, if Stripe collects payments, and returns who does. Network calls: not in a transaction. A crash
 * at any line is repaired by the next request or event: both read the customer's subscription from Stripe first.
 */
export const requestSubscription = async (ctx: Context, tier: PaidTier): Promise<PaymentProvider> => {
  const { stripeBilling, billingSelfService } = ctx.settings;
  if (!stripeBilling && !billingSelfService)
    throw conflict('BILLING_NOT_CONFIGURED', 'This server collects no payments. Ask its operator to change your tier');
  const account = await getBillingAccount(ctx, merchantOf(ctx));
  await assertCovered(ctx, account, tier);
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
  const above = findAboveTier(tier, await findMonthlyRevenue(ctx, account));
  if (!above) return;
  const { currency, monthlyRevenue } = above;
  throw conflict('REVENUE_ABOVE_TIER', 'The revenue of this month is above what the tier covers', {
    monthlyRevenue,
    maxRevenue: ceilingOf(tier, currency),
    currency,
  });
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

/** Longer than all calls of one request may take. */
const LEASE_MS = MINUTE_MS;

/**
 * Lets one request at a time talk to Stripe for a merchant, so that no customer gets two subscriptions: the others get
 * SUBSCRIPTION_IN_PROGRESS. A crash ends it after a minute. Returns the customer at Stripe; null before there is one.
 */
const beginSubscription = (ctx: Context, input: { merchantId: string; requestId: string }): Promise<string | null> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const begun = await firstRow(
      ctx.em,
      db
        .insertInto('billing_subscription')
        .values({ ...input, requestedUntil: after(now, LEASE_MS) })
        .onConflict((conflict) =>
          conflict
            .column('merchantId')
            .doUpdateSet(({ ref }) => ({ requestId: ref('excluded.requestId'), requestedUntil: ref('excluded.requestedUntil') }))
            .where(({ eb, or }) =>
              or([
                eb('billing_subscription.requestedUntil', 'is', null),
                eb('billing_subscription.requestedUntil', '<=', now.toISOString()),
              ]),
            ),
        )
        .returning('stripeCustomerId'),
    );
    if (!begun) throw subscriptionInProgress();
    return begun.stripeCustomerId;
  });

const saveStripeCustomer = (
  ctx: Context,
  { merchantId, customerId }: { merchantId: string; customerId: string },
): Promise<number> =>
  inTransaction(ctx, (ctx) =>
    execute(
      ctx.em,
      db.updateTable('billing_subscription').set({ stripeCustomerId: customerId }).where('merchantId', '=', merchantId),
    ),
  );

/** Lets the next request begin at once. Changes nothing when the request ran out and another one began. */
const endSubscriptionRequest = (ctx: Context, { requestId }: { requestId: string }): Promise<number> =>
  inTransaction(ctx, (ctx) =>
    execute(
      ctx.em,
      db.updateTable('billing_subscription').set({ requestId: null, requestedUntil: null }).where('requestId', '=', requestId),
    ),
  );
