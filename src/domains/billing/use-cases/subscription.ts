import type { PaidTier, PaymentProvider } from '../../../contracts/billing.ts';
import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { changeBilling } from '../../merchants/index.ts';
import { db } from '../../tables.ts';
import { getBillingStatus } from '../billing.queries.ts';
import type { BillingStatusView } from '../billing.wire.ts';
import type { StripeSubscription } from '../stripe-billing.calls.ts';
import { billingStateOf, hasEnded, type SubscriptionChanges } from '../subscription-state.rules.ts';

export interface SubscribeToTierInput {
  tier: PaidTier;
  /** Who collects the payments: with Stripe, the tier was ordered there before. */
  provider: PaymentProvider;
}

/** Without a payment provider, where merchants may choose their tier, it changes here and now. */
export const subscribeToTier = (ctx: Context, { tier, provider }: SubscribeToTierInput): Promise<BillingStatusView> =>
  inTransaction(ctx, async (ctx) => {
    if (provider === 'none') {
      await changeBilling(ctx, { merchantId: merchantOf(ctx), changes: { billingTier: tier } });
    }
    return getBillingStatus(ctx);
  });

export interface ApplySubscriptionInput {
  merchantId: string;
  read: StripeSubscription;
  /** As it was before `read` was read. */
  version: number;
  /** When a payment failed; null when none did. */
  failedAt: Date | null;
}

/** Applies what was read from Stripe. False when something was applied since: it may be newer. */
export const applySubscription = (
  ctx: Context,
  { merchantId, read, version, failedAt }: ApplySubscriptionInput,
): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const stored = await lockSubscription(ctx, merchantId);
    if (stored?.version !== version) return false;
    // The end of a subscription that was replaced says nothing about the one that replaced it.
    if (hasEnded(read) && stored.stripeSubscriptionId !== read.id) return true;
    const state = billingStateOf(read, dateOf(stored.graceEndsAt), failedAt ?? ctx.clock.now());
    if (state === null) {
      ctx.log.warn({ merchantId, status: read.status }, 'a subscription at Stripe has a status that is not known');
      return true;
    }
    const lastFailedAt = dateOf(stored.lastPaymentFailedAt);
    const isLatest = failedAt !== null && (lastFailedAt === null || failedAt > lastFailedAt);
    const changes = { ...state.merchant, ...(isLatest ? { lastPaymentFailedAt: failedAt } : {}) };
    await changeBilling(ctx, { merchantId, changes });
    await saveSubscription(ctx, merchantId, state.subscription);
    return true;
  });

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));

const lockSubscription = (ctx: Context, merchantId: string) =>
  firstRow(
    ctx.em,
    db
      .selectFrom('billing_subscription as s')
      .innerJoin('merchant as m', 'm.id', 's.merchantId')
      .select(['s.stripeSubscriptionId', 's.version', 'm.graceEndsAt', 'm.lastPaymentFailedAt'])
      .where('s.merchantId', '=', merchantId)
      .forUpdate('s'),
  );

const saveSubscription = (
  ctx: Context,
  merchantId: string,
  { subscriptionId, requestedTier, paymentUrl }: SubscriptionChanges,
): Promise<number> =>
  execute(
    ctx.em,
    db
      .updateTable('billing_subscription')
      .set(({ eb }) => ({
        stripeSubscriptionId: subscriptionId,
        requestedTier,
        paymentUrl,
        version: eb('version', '+', 1),
      }))
      .where('merchantId', '=', merchantId),
  );
