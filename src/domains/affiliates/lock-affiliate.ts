import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { Affiliate } from './affiliate.entity.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';

/**
 * Locks an affiliate until the transaction ends. NOT_FOUND when missing, FORBIDDEN when another merchant owns the program.
 * The balance is locked first, as by every other transaction, so that listeners may book without a deadlock.
 */
export const lockAffiliate = async (ctx: Context, id: string): Promise<{ affiliate: Affiliate; profile: AffiliateProfile }> => {
  await execute(ctx.em, sql`select 1 from ledger_balance where affiliate_id = ${id}::uuid for update`);
  const affiliate = await ctx.em.findOne(Affiliate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!affiliate) throw notFound('Affiliate');
  if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== affiliate.merchantId) throw forbidden();
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  return { affiliate, profile };
};
