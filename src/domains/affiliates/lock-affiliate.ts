import type { EntityData } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { lockOfName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { Affiliate } from './affiliate.entity.ts';
import { membershipTurn } from './affiliate-lookup.queries.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';
import type { AffiliateTotals, Person } from './affiliates.wire.ts';

export interface LockedAffiliate {
  affiliate: Affiliate;
  /** As the merchant is shown it. */
  profile: Person;
  totals: AffiliateTotals;
}

/**
 * Locks an affiliate until the transaction ends. NOT_FOUND when missing, FORBIDDEN when another merchant owns the program.
 * Then locks the balance, in the order of every other transaction, so that listeners may book without a deadlock. A stronger
 * lock of the affiliate would wait for the foreign keys of a transaction that holds the balance.
 */
export const lockAffiliate = async (ctx: Context, id: string): Promise<LockedAffiliate> => {
  // Of another merchant it takes none, so that no sale waits for a request that is refused.
  const isOwn = ctx.actor.kind === 'key' ? sql`merchant_id = ${ctx.actor.ownerId}::uuid` : sql`true`;
  await execute(ctx.em, sql`select ${lockOfName(membershipTurn(id))} from affiliate where id = ${id}::uuid and ${isOwn}`);
  const row = await firstRow(
    ctx.em,
    sql<EntityData<Affiliate>>`select * from affiliate where id = ${id}::uuid for no key update`,
  );
  if (!row) throw notFound('Affiliate');
  const affiliate = ctx.em.map(Affiliate, row);
  await execute(ctx.em, sql`select 1 from ledger_balance where affiliate_id = ${id}::uuid for update`);
  readOwned(ctx, 'Affiliate', affiliate);
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  return { affiliate, profile: affiliate.personOf(profile), totals: await getTotals(ctx, id) };
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
