import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import { Affiliate } from './affiliate.entity.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';
import type { AffiliateTotals } from './affiliates.wire.ts';

export interface LockedAffiliate {
  affiliate: Affiliate;
  profile: AffiliateProfile;
  totals: AffiliateTotals;
}

/**
 * Locks an affiliate until the transaction ends. NOT_FOUND when missing, FORBIDDEN when another merchant owns the program.
 * The balance is locked first, as by every other transaction, so that listeners may book without a deadlock.
 */
export const lockAffiliate = async (ctx: Context, id: string): Promise<LockedAffiliate> => {
  await execute(ctx.em, sql`select 1 from ledger_balance where affiliate_id = ${id}::uuid for update`);
  const affiliate = await ctx.em.findOne(Affiliate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!affiliate) throw notFound('Affiliate');
  if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== affiliate.merchantId) throw forbidden();
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  return { affiliate, profile, totals: await getTotals(ctx, id) };
};

const getTotals = async (ctx: Context, affiliateId: string): Promise<AffiliateTotals> => {
  const totals = await firstRow(
    ctx.em,
    sql<AffiliateTotals>`select clicks::float8 as "totalClicks", conversions::float8 as "totalConversions",
        revenue::float8 as "totalRevenue", earnings::float8 as "totalEarnings"
      from affiliate_totals where affiliate_id = ${affiliateId}::uuid`,
  );
  invariant(totals, 'every affiliate has totals');
  return totals;
};
