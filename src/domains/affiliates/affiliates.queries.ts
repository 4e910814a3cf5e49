import type { AffiliateStatus, Source } from '../../contracts/affiliates.ts';
import { COUNT_MAX } from '../../contracts/limits.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { expressionBuilder, firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { searchPatternOf } from '../../platform/search-text.ts';
import { countedTotal } from '../merchants/index.ts';
import { readOwnedProgram } from '../programs/index.ts';
import { db, type Tables } from '../tables.ts';
import {
  type AffiliateDetailView,
  type AffiliateSort,
  type AffiliateStatsView,
  type AffiliateTotals,
  type AffiliateView,
  type Person,
  type StoredAffiliate,
  toAffiliate,
} from './affiliates.wire.ts';
import { openEnteredDetails } from './payout-details.steps.ts';

type AffiliateRow = StoredAffiliate & AffiliateTotals & Person;

interface ListTables {
  a: Tables['affiliate'];
  p: Tables['affiliate_profile'];
  t: Tables['affiliate_totals'];
}

const eb = expressionBuilder<ListTables, keyof ListTables>();

/** Columns of an affiliate `a`, its profile `p` and its totals `t`. */
const AFFILIATE = [
  eb.ref('a.id').as('id'),
  eb.ref('p.userId').as('userId'),
  eb.ref('a.programId').as('programId'),
  // Shows the person as a merchant may see them.
  eb.fn
    .coalesce(
      eb
        .case()
        .when(eb.not(eb.ref('a.profileHidden')))
        .then(eb.ref('p.name'))
        .end(),
      'a.name',
    )
    .as('name'),
  eb.ref('p.email').as('email'),
  eb.ref('a.code').as('code'),
  eb.ref('a.status').as('status'),
  eb.ref('a.source').as('source'),
  eb.ref('t.clicks').as('totalClicks'),
  eb.ref('t.conversions').as('totalConversions'),
  eb.ref('t.revenue').as('totalRevenue'),
  eb.ref('t.earnings').as('totalEarnings'),
  eb.ref('a.blockedAt').as('blockedAt'),
  eb.ref('a.blockedReason').as('blockedReason'),
  eb.ref('a.commissionPercent').as('commissionPercent'),
  eb.ref('a.payoutsPaused').as('payoutsPaused'),
  eb.ref('a.trustTier').as('trustTier'),
  eb.ref('a.externalId').as('externalId'),
  eb.ref('a.metadata').as('metadata'),
  eb.ref('a.createdAt').as('createdAt'),
] as const;

const affiliates = () =>
  db
    .selectFrom('affiliate as a')
    .leftJoin('affiliate_profile as p', 'p.id', 'a.profileId')
    .leftJoin('affiliate_totals as t', 't.affiliateId', 'a.id');

const affiliatesByTotals = () =>
  db
    .selectFrom('affiliate_totals as t')
    .innerJoin('affiliate as a', 'a.id', 't.affiliateId')
    .leftJoin('affiliate_profile as p', 'p.id', 'a.profileId');

export interface AffiliateFilter extends PageQuery {
  programId?: string | undefined;
  includeBlocked?: boolean | undefined;
  status?: AffiliateStatus | undefined;
  source?: Source | undefined;
  email?: string | undefined;
  externalId?: string | undefined;
  search?: string | undefined;
  sortBy?: AffiliateSort | undefined;
  sortOrder?: 'asc' | 'desc' | undefined;
}

interface ListValues {
  merchantId: string;
  programId: string | undefined;
  status: AffiliateStatus | undefined;
  source: Source | undefined;
  email: string | undefined;
  externalId: string | undefined;
  pattern: string | undefined;
}

/** An address is one person's. */
const profileOf = (email: RawBuilder<string>): RawBuilder<string> =>
  sql<string>`(select id from affiliate_profile where lower(email) = lower(${email}))`;

/** The merchant and the program are those of the table whose index has the sort key. */
const matches = (table: 'a' | 't', { merchantId, programId, status, source, email, externalId, pattern }: Given<ListValues>) =>
  eb.and([
    // Only the program's index has the totals of a program in order: the merchant is compared where it offers no other.
    eb(programId === undefined ? `${table}.merchantId` : 'a.merchantId', '=', merchantId),
    ...(programId === undefined ? [] : [eb(`${table}.programId`, '=', programId)]),
    // One status is compared for equality: an index that starts with it is then in the list's order.
    ...(status === undefined ? [] : [eb('a.status', '=', status)]),
    ...(source === undefined ? [] : [eb('a.source', '=', source)]),
    ...(email === undefined ? [] : [eb('a.profileId', '=', profileOf(email))]),
    // Its index is of the merchant.
    ...(externalId === undefined ? [] : [eb('a.merchantId', '=', merchantId), eb('a.externalId', '=', externalId)]),
    ...(pattern === undefined ? [] : [eb('a.searchText', 'like', pattern)]),
  ]);

const SORT_KEYS = {
  createdAt: { key: eb.ref('a.createdAt'), type: 'timestamptz', table: 'a' },
  totalClicks: { key: eb.ref('t.clicks'), type: 'bigint', table: 't' },
  totalRevenue: { key: eb.ref('t.revenue'), type: 'bigint', table: 't' },
  name: { key: eb.ref('a.sortName'), type: 'text', table: 'a' },
} as const;

const sortedList = (sortBy: AffiliateSort, ascending: boolean) => {
  const { key, type, table } = SORT_KEYS[sortBy];
  return list({
    // A cursor is a position in one sort order and is only valid for that order.
    name: `affiliates:${sortBy}:${ascending}`,
    query: (given: Given<ListValues>) =>
      (table === 't' ? affiliatesByTotals() : affiliates()).where(matches(table, given)).select(AFFILIATE),
    sort: { key, type, id: table === 't' ? eb.ref('t.affiliateId') : eb.ref('a.id'), ascending },
    counted: (given) =>
      db
        .selectFrom('affiliate as a')
        .where(matches('a', given))
        .select(sql`1`.as('one'))
        .limit(sql.lit(COUNT_MAX + 1)),
    total: ({ merchantId, programId, status, source, email, externalId, pattern }) =>
      (source ?? email ?? externalId ?? pattern) === undefined
        ? countedTotal('affiliate', merchantId, { programId, statuses: status && sql`array[${status}]` })
        : undefined,
    toItem: (row: AffiliateRow) => toAffiliate(row, row, row),
  });
};

const sortedLists = (sortBy: AffiliateSort) => ({ asc: sortedList(sortBy, true), desc: sortedList(sortBy, false) });

const LISTS = {
  createdAt: sortedLists('createdAt'),
  totalClicks: sortedLists('totalClicks'),
  totalRevenue: sortedLists('totalRevenue'),
  name: sortedLists('name'),
};

/**
 * The merchant's affiliates. Blocked affiliates are excluded unless `includeBlocked` or `status` asks for them. Empty for
 * another merchant's program.
 */
export const listAffiliates = (
  ctx: Context,
  {
    programId,
    includeBlocked,
    status,
    source,
    email,
    externalId,
    search,
    sortBy = 'createdAt',
    sortOrder,
    ...page
  }: AffiliateFilter,
): Promise<Page<AffiliateView>> =>
  LISTS[sortBy][sortOrder ?? (sortBy === 'name' ? 'asc' : 'desc')](ctx, page, {
    merchantId: merchantOf(ctx),
    programId,
    status: status ?? (includeBlocked ? undefined : 'approved'),
    source,
    email,
    externalId,
    pattern: search === undefined ? undefined : searchPatternOf(search),
  });

/** The affiliates of one program. NOT_FOUND and FORBIDDEN as for the program itself. */
export const listProgramAffiliates = async (
  ctx: Context,
  programId: string,
  filter: Omit<AffiliateFilter, 'programId'>,
): Promise<Page<AffiliateView>> => {
  const page = await listAffiliates(ctx, { ...filter, programId });
  // A row proves that the program is the merchant's; only an empty page needs the check.
  if (page.items.length === 0) await readOwnedProgram(ctx, programId);
  return page;
};

const affiliateById = compileOnce(({ id }: Given<{ id: string }>) =>
  affiliates()
    .innerJoin('program as g', 'g.id', 'a.programId')
    .leftJoin('ledger_balance as b', 'b.affiliateId', 'a.id')
    .where('a.id', '=', id)
    .select(AFFILIATE)
    .select(({ fn }) => [
      'a.merchantId',
      'a.payoutDetails as enteredDetails',
      'a.profileHidden',
      'p.payoutMethod as ownMethod',
      fn.coalesce('b.currency', 'g.currency').as('currency'),
      fn.coalesce('b.pending', sql<number>`0`).as('pending'),
      fn.coalesce('b.payable', sql<number>`0`).as('payable'),
      fn.coalesce('b.inPayout', sql<number>`0`).as('inPayout'),
      fn.coalesce('b.paid', sql<number>`0`).as('paid'),
    ]),
);

const toStats = (row: AffiliateStatsView): AffiliateStatsView => ({
  currency: row.currency,
  totalRevenue: row.totalRevenue,
  pending: row.pending,
  payable: row.payable,
  inPayout: row.inPayout,
  paid: row.paid,
});

/** With balances when `withStats`. */
export const getAffiliate = async (ctx: Context, id: string, withStats: boolean): Promise<AffiliateDetailView> => {
  const row = readOwned(ctx, 'Affiliate', await firstRow(ctx.em, affiliateById({ id })));
  const payoutDetails = openEnteredDetails(ctx, row);
  return { ...toAffiliate(row, row, row), payoutDetails, ...(withStats ? { stats: toStats(row) } : {}) };
};
