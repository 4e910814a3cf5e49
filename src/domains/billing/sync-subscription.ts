import type { Context } from '../../platform/context.ts';
import { invariant } from '../../platform/errors.ts';
import type { StripeBilling } from '../../platform/stripe/stripe-billing.ts';
import { findSubscriptionVersion } from './billing.queries.ts';
import { applySubscription } from './use-cases/apply-subscription.ts';

export interface SyncSubscriptionInput {
  merchantId: string;
  subscriptionId: string;
  /** When a payment failed; null when none did. */
  failedAt: Date | null;
}

const MAX_READS = 10;

/**
 * Reads a subscription from Stripe and applies it. What was read before another change was applied may be older than that
 * change, so it is read again. A network call: not in a transaction. Safe to repeat, at the same time too.
 */
export const syncSubscription = async (
  ctx: Context,
  stripe: StripeBilling,
  { merchantId, subscriptionId, failedAt }: SyncSubscriptionInput,
): Promise<void> => {
  for (let time = 0; time < MAX_READS; time++) {
    const version = await findSubscriptionVersion(ctx, merchantId);
    const read = await stripe.findSubscription(subscriptionId);
    if (version === null || read === null) return;
    if (await applySubscription(ctx, { merchantId, read, version, failedAt })) return;
  }
  invariant(false, 'a subscription changes less often than it is read');
};
