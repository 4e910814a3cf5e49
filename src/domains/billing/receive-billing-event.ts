import type { Context } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { type SignedStripeEvent, verifyStripeEvent } from '../../platform/stripe/verify-stripe-event.ts';
import { findMerchantOfCustomer } from './billing.queries.ts';
import { type BillingResult, readBillingEvent } from './billing-event.ts';
import { syncSubscription } from './sync-subscription.ts';

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
