import { type Context, findCaller } from '../../platform/context.ts';
import { lockOfName } from '../../platform/database/lock-name.ts';
import { lockRow } from '../../platform/database/lock-row.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { db } from '../tables.ts';
import { Affiliate } from './affiliate.entity.ts';
import { membershipLockName } from './affiliate-lookup.queries.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';
import type { AffiliateTotals, Person } from './affiliates.wire.ts';

export interface LockedAffiliate {
  affiliate: Affiliate;
  /** The person as the merchant sees them. */
  profile: Person;
  totals: AffiliateTotals;
}

/**
 * Locks an affiliate until the transaction ends. NOT_FOUND when missing, FORBIDDEN when another merchant owns the program.
 * It then locks the balance, in the order of every other transaction, so that listeners may book without a deadlock. A stronger
 * lock of the affiliate would wait for the foreign keys of a transaction that holds the balance.
 */
export const lockAffiliate = async (ctx: Context, id: string): Promise<LockedAffiliate> => {
  await lockMembershipName(ctx, id);
  const affiliate = await lockRow(ctx, Affiliate, sql`id = ${id}::uuid`);
  if (affiliate) await lockBalance(ctx, id);
  const own = readOwned(ctx, 'Affiliate', affiliate);
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: own.profileId });
  return { affiliate: own, profile: own.personOf(profile), totals: await getTotals(ctx, id) };
};

/** Takes no lock for another merchant's affiliate, so that no sale waits for a request that is refused. */
const lockMembershipName = async (ctx: Context, id: string): Promise<void> => {
  const lock = lockOfName(membershipLockName(id)).as('lock');
  const found = db.selectFrom('affiliate').select(lock).where('id', '=', id);
  const caller = findCaller(ctx.actor);
  await execute(ctx.em, caller ? found.where('merchantId', '=', caller.ownerId) : found);
};

const lockBalance = (ctx: Context, affiliateId: string): Promise<number> =>
  execute(ctx.em, db.selectFrom('ledger_balance').select('affiliateId').where('affiliateId', '=', affiliateId).forUpdate());

const getTotals = async (ctx: Context, affiliateId: string): Promise<AffiliateTotals> => {
  const totals = await firstRow(
    ctx.em,
    db
      .selectFrom('affiliate_totals')
      .select([
        'clicks as totalClicks',
        'conversions as totalConversions',
        'revenue as totalRevenue',
        'earnings as totalEarnings',
      ])
      .where('affiliateId', '=', affiliateId),
  );
  invariant(totals, 'every affiliate has totals');
  return totals;
};
