import type { PaidTier, PaymentProvider } from '../../../contracts/billing.ts';
import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { changeBilling } from '../../merchants/index.ts';
import { getBillingStatus } from '../billing.queries.ts';
import type { BillingStatusView } from '../billing.wire.ts';

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
