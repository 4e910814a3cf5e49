import { type Context, inTransaction } from '../../../platform/context.ts';
import type { AffiliateSettings } from '../affiliate.entity.ts';
import { type AffiliateView, toAffiliate } from '../affiliates.wire.ts';
import { lockAffiliate } from '../lock-affiliate.ts';

export interface UpdateAffiliateInput {
  id: string;
  changes: AffiliateSettings;
}

/** Applies the terms of one affiliate. They concern later conversions and payouts, never those that exist already. */
export const updateAffiliate = (ctx: Context, { id, changes }: UpdateAffiliateInput): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile, totals } = await lockAffiliate(ctx, id);
    affiliate.change(changes, ctx.clock.now());
    return toAffiliate(affiliate, profile, totals);
  });
