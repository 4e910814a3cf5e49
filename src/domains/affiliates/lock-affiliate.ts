import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { Affiliate } from './affiliate.entity.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';

/** Locks an affiliate until the transaction ends. NOT_FOUND when missing, FORBIDDEN when another merchant owns the program. */
export const lockAffiliate = async (ctx: Context, id: string): Promise<{ affiliate: Affiliate; profile: AffiliateProfile }> => {
  const affiliate = await ctx.em.findOne(Affiliate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!affiliate) throw notFound('Affiliate');
  if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== affiliate.merchantId) throw forbidden();
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  return { affiliate, profile };
};
