import type { Context } from '../../platform/context.ts';
import { AppError, invariant } from '../../platform/errors.ts';
import { type SignedStripeEvent, verifyStripeEvent } from '../../platform/stripe/verify-stripe-event.ts';
import { findMerchantOfCustomer, findSubscriptionVersion } from './billing.queries.ts';
import { type BillingResult, readBillingEvent } from './billing-event.rules.ts';
import type { StripeBilling } from './stripe-billing.calls.ts';
import { applySubscription } from './use-cases/subscription.ts';

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

/**
 * Reads the subscription that an event is about from Stripe, and applies it. When Stripe cannot be reached, the event fails, so
 * that Stripe repeats it.
 */
export const receiveBillingEvent = async (
  ctx: Context,
  { headers, rawBody }: Pick<SignedStripeEvent, 'headers' | 'rawBody'>,
): Promise<BillingResult> => {
  const { stripeBilling, stripeBillingWebhookSecret: secret } = ctx.settings;
  if (!stripeBilling || secret === null) {
    throw new AppError('UNAUTHORIZED', 'Stripe Billing is not configured: STRIPE_BILLING_WEBHOOK_SECRET is not set');
  }
  const hint = readBillingEvent(await verifyStripeEvent({ headers, rawBody, secret, now: ctx.clock.now() }));
  const merchantId = hint && (await findMerchantOfCustomer(ctx, hint.customerId));
  if (!hint || merchantId === null) return { outcome: 'ignored' };
  await syncSubscription(ctx, stripeBilling, { ...hint, merchantId });
  return { outcome: 'applied' };
};
