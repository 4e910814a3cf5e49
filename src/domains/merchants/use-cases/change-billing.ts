import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockMerchant } from '../lock-merchant.ts';
import type { BillingChanges } from '../merchant.entity.ts';

/** Changes the tier of a merchant, and how its payments stand. What is left out stays unchanged. */
export const changeBilling = (
  ctx: Context,
  { merchantId, changes }: { merchantId: string; changes: BillingChanges },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, merchantId);
    merchant.changeBilling(changes, ctx.clock.now());
    await ctx.em.flush();
  });
