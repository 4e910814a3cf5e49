import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import type { StripeSubscription } from '../../../platform/stripe/stripe-billing.ts';
import { MERCHANT_BILLING } from '../../merchants/index.ts';
import { billingStateOf, hasEnded, type SubscriptionChanges } from '../subscription-state.ts';

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
    if (hasEnded(read) && stored.subscriptionId !== read.id) return true;
    const state = billingStateOf(read, dateOf(stored.graceEndsAt), failedAt ?? ctx.clock.now());
    if (state === null) {
      ctx.log.warn({ merchantId, status: read.status }, 'a subscription at Stripe has a status that is not known');
      return true;
    }
    const lastFailedAt = dateOf(stored.lastFailedAt);
    const isLatest = failedAt !== null && (lastFailedAt === null || failedAt > lastFailedAt);
    const changes = { ...state.merchant, ...(isLatest ? { lastPaymentFailedAt: failedAt } : {}) };
    await MERCHANT_BILLING.changeBilling(ctx, { merchantId, changes });
    await saveSubscription(ctx, merchantId, state.subscription);
    return true;
  });

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));

interface StoredSubscription {
  subscriptionId: string | null;
  version: number;
  graceEndsAt: string | null;
  lastFailedAt: string | null;
}

const lockSubscription = (ctx: Context, merchantId: string): Promise<StoredSubscription | null> =>
  firstRow(
    ctx.em,
    sql<StoredSubscription>`select s.stripe_subscription_id as "subscriptionId", s.version, m.grace_ends_at as "graceEndsAt",
        m.last_payment_failed_at as "lastFailedAt"
      from billing_subscription s join merchant m on m.id = s.merchant_id
      where s.merchant_id = ${merchantId}::uuid for update of s`,
  );

const saveSubscription = (ctx: Context, merchantId: string, changed: SubscriptionChanges): Promise<number> =>
  execute(
    ctx.em,
    sql`update billing_subscription set stripe_subscription_id = ${changed.subscriptionId}, requested_tier = ${changed.requestedTier},
        payment_url = ${changed.paymentUrl}, version = version + 1 where merchant_id = ${merchantId}::uuid`,
  );
