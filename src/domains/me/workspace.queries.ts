import { MAX_OWN_PROGRAMS } from '../../contracts/limits.ts';
import { type Context, onlyMerchantOf, profileOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { getOwnAffiliate, getPayoutInfo } from '../affiliates/index.ts';
import { heldCommissionsOf } from '../conversions/index.ts';
import { PORTAL_COLUMNS } from '../programs/index.ts';
import { db } from '../tables.ts';
import { type CurrencySums, type EarningsView, toEarnings } from './earnings.wire.ts';
import {
  type MyProgramDetailView,
  type MyProgramRow,
  type MyProgramView,
  type OverviewView,
  toMyProgram,
  toMyProgramDetail,
  toOverview,
} from './workspace.wire.ts';

/** What the caller is shown: their profile, and its programs with one merchant, or with all if `merchantId` is undefined. */
interface Shown {
  profileId: string;
  merchantId: string | undefined;
}

const shownTo = (ctx: Context): Shown => ({ profileId: profileOf(ctx), merchantId: onlyMerchantOf(ctx) });

const balancesByCurrency = compileOnce(({ profileId, merchantId }: Given<Shown>) => {
  const own = db
    .selectFrom('affiliate as a')
    .innerJoin('program as p', 'p.id', 'a.programId')
    .leftJoin('ledger_balance as b', 'b.affiliateId', 'a.id')
    .crossJoinLateral(heldCommissionsOf(sql.ref('a.id')).as('h'))
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('conversion')
          .select('createdAt')
          .whereRef('affiliateId', '=', 'a.id')
          .orderBy('createdAt', 'desc')
          .orderBy('id', 'desc')
          .limit(sql.lit(1))
          .as('c'),
      (join) => join.onTrue(),
    )
    .select(({ and, eb, fn }) => {
      const sumOf = (column: 'b.pending' | 'b.payable' | 'b.inPayout' | 'b.paid') =>
        fn.coalesce(fn.sum<number | null>(column), sql<number>`0`);
      const isActive = and([eb('a.status', '=', 'approved'), eb('p.status', '=', 'active')]);
      return [
        'p.currency',
        fn.countAll<number>().as('programs'),
        fn.countAll<number>().filterWhere(isActive).as('activePrograms'),
        sumOf('b.pending').as('pending'),
        sumOf('b.payable').as('available'),
        sumOf('b.inPayout').as('inPayout'),
        sumOf('b.paid').as('paid'),
        fn.sum<number>('h.amount').as('held'),
        fn.sum<number>('h.disputed').as('disputed'),
      ];
    })
    .where('a.profileId', '=', profileId);
  const shown = merchantId === undefined ? own : own.where('a.merchantId', '=', merchantId);
  return shown
    .groupBy('p.currency')
    .orderBy(
      ({ fn }) => fn.max('c.createdAt'),
      (order) => order.desc().nullsLast(),
    )
    .orderBy(({ fn }) => fn.max('a.createdAt'), 'desc')
    .orderBy('p.currency');
});

/** One row for each currency of the caller's programs, starting with that of the most recent conversion. */
const sumBalances = (ctx: Context): Promise<CurrencySums[]> => rows(ctx.em, balancesByCurrency(shownTo(ctx)));

const memberships = db
  .selectFrom('affiliate as a')
  .innerJoin('program as p', 'p.id', 'a.programId')
  .innerJoin('merchant as m', 'm.id', 'a.merchantId')
  .innerJoin('affiliate_totals as t', 't.affiliateId', 'a.id')
  .leftJoin('ledger_balance as b', 'b.affiliateId', 'a.id')
  .leftJoin('program_portal as o', 'o.programId', 'p.id')
  .select(PORTAL_COLUMNS)
  .select(['a.id as affiliateId', 'a.code', 'a.status', 'a.createdAt', 'm.companyName'])
  .select(['p.id as programId', 'p.name as programName', 'p.description as programDescription', 'p.portalSlug'])
  .select(['p.marketplaceLogoUrl', 'p.commissionType', 'p.currency'])
  .select(['t.clicks as totalClicks', 't.conversions as totalConversions'])
  .select(['t.revenue as totalRevenue', 't.earnings as totalCommission'])
  .select(({ fn }) => [
    fn.coalesce('a.commissionPercent', 'p.commissionPercent').as('commissionPercent'),
    fn.coalesce('b.paid', sql<number>`0`).as('totalPaidOut'),
    sql<number>`(select count(*) from customer c where c.affiliate_id = a.id and c.status is not null and c.identified_at is not null)`.as(
      'totalLeads',
    ),
    sql<number>`(select count(*) from customer c where c.affiliate_id = a.id and c.status = 'customer')`.as('totalCustomers'),
  ]);

const membershipsOf = compileOnce(({ profileId, merchantId }: Given<Shown>) => {
  const own = memberships.where('a.profileId', '=', profileId);
  const shown = merchantId === undefined ? own : own.where('a.merchantId', '=', merchantId);
  return shown.orderBy('a.createdAt', 'desc').orderBy('a.id', 'desc').limit(MAX_OWN_PROGRAMS);
});

const listMemberships = (ctx: Context): Promise<MyProgramRow[]> => rows(ctx.em, membershipsOf(shownTo(ctx)));

/** Balances are those of the ledger. The statistics are those of the 1,000 programs that the caller joined last. */
export const getOverview = async (ctx: Context): Promise<OverviewView> =>
  toOverview(profileOf(ctx), await sumBalances(ctx), await listMemberships(ctx));

/** Balances of the caller in all programs, by currency. */
export const getMyEarnings = async (ctx: Context): Promise<EarningsView> => toEarnings(await sumBalances(ctx));

/** Newest first, and not paged: at most 1,000. */
export const listMyPrograms = async (ctx: Context): Promise<MyProgramView[]> =>
  (await listMemberships(ctx)).map((row) => toMyProgram(ctx, row));

const membershipById = compileOnce(({ id }: Given<{ id: string }>) =>
  memberships
    .select(['p.website', 'p.landingPageUrl', 'p.commissionLimitMonths', 'p.cookieDuration', 'p.payoutThreshold'])
    .select(['p.payoutFrequency', 'p.allowCustomDestinations', 'p.allowedLandingPages', 'p.termsUrl'])
    .select(({ fn }) => fn.coalesce('b.pending', sql<number>`0`).as('pendingCommission'))
    .where('a.id', '=', id),
);

/** NOT_FOUND for a missing program, FORBIDDEN for one that the caller has not joined. */
export const getMyProgram = async (ctx: Context, programId: string): Promise<MyProgramDetailView> => {
  const { id } = await getOwnAffiliate(ctx, programId);
  const row = await firstRow(ctx.em, membershipById({ id }));
  invariant(row, 'affiliates are never removed');
  return toMyProgramDetail(ctx, row, await getPayoutInfo(ctx));
};
