import { LockMode } from '@mikro-orm/core';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import { Affiliate } from '../affiliate.entity.ts';
import { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { type AffiliateView, toAffiliate } from '../affiliates.wire.ts';

/** Freezes a membership. Blocking it again answers the same record and announces nothing. */
export const blockAffiliate = (ctx: Context, input: { id: string; reason?: string | undefined }): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile } = await lockMembership(ctx, input.id);
    if (!affiliate.block(input.reason ?? null, ctx.clock.now())) return toAffiliate(affiliate, profile);
    return announce(ctx, 'affiliate.blocked', affiliate, profile);
  });

/** Restores a membership with all that it had. Unblocking it again changes nothing. */
export const unblockAffiliate = (ctx: Context, input: { id: string }): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile } = await lockMembership(ctx, input.id);
    if (!affiliate.unblock(ctx.clock.now())) return toAffiliate(affiliate, profile);
    return announce(ctx, 'affiliate.unblocked', affiliate, profile);
  });

const lockMembership = async (ctx: Context, id: string) => {
  const affiliate = await ctx.em.findOne(Affiliate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!affiliate) throw notFound('Affiliate');
  if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== affiliate.merchantId) throw forbidden();
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  return { affiliate, profile };
};

const announce = async (
  ctx: Context,
  type: 'affiliate.blocked' | 'affiliate.unblocked',
  affiliate: Affiliate,
  profile: AffiliateProfile,
): Promise<AffiliateView> => {
  await ctx.em.flush();
  const data = toAffiliate(affiliate, profile);
  await emit(ctx, { type, merchantId: affiliate.merchantId, programId: affiliate.programId, data });
  return data;
};
