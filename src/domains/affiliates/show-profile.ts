import type { Context } from '../../platform/context.ts';
import { Affiliate } from './affiliate.entity.ts';
import { lockMembership } from './affiliate-lookup.queries.ts';
import type { AffiliateProfile } from './affiliate-profile.entity.ts';

/**
 * Who enters where to be paid joins the programs that one merchant added them to. With several merchants, the entry does not
 * say which of them is meant, and anyone can add an address: there, the owner applies or claims an invite. The caller holds the
 * profile's lock.
 */
export const showProfileToOnlyMerchant = async (ctx: Context, profile: AffiliateProfile): Promise<void> => {
  const hidden = await ctx.em.find(Affiliate, { profileId: profile.id, profileHidden: true }, { orderBy: { id: 'asc' } });
  const [first] = hidden;
  if (!first) return;
  const others = await ctx.em.count(Affiliate, { profileId: profile.id, merchantId: { $ne: first.merchantId } });
  if (others > 0) return;
  for (const affiliate of hidden) {
    await lockMembership(ctx, affiliate.id, 'change');
    affiliate.showProfile(profile, ctx.clock.now());
  }
};
