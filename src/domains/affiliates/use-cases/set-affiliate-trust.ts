import type { TrustTier } from '../../../contracts/affiliates.ts';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { type AffiliateView, toAffiliate } from '../affiliates.wire.ts';
import { lockAffiliate } from '../lock-affiliate.ts';

/** Sets the trust tier manually. A tier below the present one, and `new` in any case, makes the record count anew. */
export const setAffiliateTrust = (ctx: Context, { id, tier }: { id: string; tier: TrustTier }): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile, totals } = await lockAffiliate(ctx, id);
    const before = valuesOf(affiliate, ['trustTier', 'trustResetAt']);
    affiliate.setTrust(tier, ctx.clock.now());
    const after = valuesOf(affiliate, ['trustTier', 'trustResetAt']);
    await recordChange(ctx, { ownerId: affiliate.merchantId, action: 'affiliate.updated', resourceId: id, before, after });
    return toAffiliate(affiliate, profile, totals);
  });
