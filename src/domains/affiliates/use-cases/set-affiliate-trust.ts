import type { TrustTier } from '../../../contracts/affiliates.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { type AffiliateView, toAffiliate } from '../affiliates.wire.ts';
import { lockAffiliate } from '../lock-affiliate.ts';

/** Sets the trust tier manually. A tier below the present one, and `new` in any case, makes the record count anew. */
export const setAffiliateTrust = (ctx: Context, { id, tier }: { id: string; tier: TrustTier }): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile, totals } = await lockAffiliate(ctx, id);
    affiliate.setTrust(tier, ctx.clock.now());
    return toAffiliate(affiliate, profile, totals);
  });
