import type { AffiliateStatus, Source } from '../../contracts/affiliates.ts';
import { AFFILIATE_STATUSES } from '../../contracts/affiliates.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { type ListOf, listPage, type PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { countedTotal } from '../merchants/index.ts';
import { getProgramOf } from '../programs/index.ts';
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
import { searchPatternOf } from './search.ts';

type AffiliateRow = StoredAffiliate & AffiliateTotals & Person;

/** Of an affiliate `a` and its profile `p`, as a merchant may see it. */
const SHOWN_NAME = sql`coalesce(case when not a.profile_hidden then p.name end, a.name)`;

const columns = sql`
  a.id, p.user_id as "userId", a.program_id as "programId", ${SHOWN_NAME} as name, p.email, a.code, a.status, a.source,
  t.clicks::float8 as "totalClicks", t.conversions::float8 as "totalConversions", t.revenue::float8 as "totalRevenue",
  t.earnings::float8 as "totalEarnings", a.blocked_at as "blockedAt", a.blocked_reason as "blockedReason",
  a.commission_percent::float8 as "commissionPercent", a.payouts_paused as "payoutsPaused", a.trust_tier as "trustTier", a.created_at as "createdAt"`;

const from = sql`affiliate a left join affiliate_profile p on p.id = a.profile_id
  left join affiliate_totals t on t.affiliate_id = a.id`;
const fromTotals = sql`affiliate_totals t join affiliate a on a.id = t.affiliate_id
  left join affiliate_profile p on p.id = a.profile_id`;

interface SortKey {
  key: RawBuilder<unknown>;
  type: 'timestamptz' | 'bigint' | 'text';
  /** The table whose index has the key: its columns are compared with the merchant and the program. */
  table: RawBuilder<unknown>;
  from: RawBuilder<unknown>;
}

const A = sql.ref('a');
const T = sql.ref('t');
const SORT_KEYS: Record<AffiliateSort, SortKey> = {
  createdAt: { key: sql`a.created_at`, type: 'timestamptz', table: A, from },
  totalClicks: { key: sql`t.clicks`, type: 'bigint', table: T, from: fromTotals },
  totalRevenue: { key: sql`t.revenue`, type: 'bigint', table: T, from: fromTotals },
  name: { key: sql`a.sort_name`, type: 'text', table: A, from },
};

export interface AffiliateFilter extends PageQuery {
  programId?: string | undefined;
  includeBlocked?: boolean | undefined;
  status?: AffiliateStatus | undefined;
  source?: Source | undefined;
  search?: string | undefined;
  sortBy?: AffiliateSort | undefined;
  sortOrder?: 'asc' | 'desc' | undefined;
}

const statusesOf = ({ status, includeBlocked }: AffiliateFilter): readonly AffiliateStatus[] => {
  if (status !== undefined) return [status];
  return includeBlocked ? AFFILIATE_STATUSES : ['approved'];
};

/** The merchant and the program are those of `table`. */
const conditionsOn = (table: RawBuilder<unknown>, merchantId: string, filter: AffiliateFilter) => {
  const { programId, source, search } = filter;
  const statuses = statusesOf(filter);
  return [
    // Of a program's totals, only the program's index is in order: the merchant is compared where it offers no other.
    sql`${programId === undefined ? table : A}.merchant_id = ${merchantId}::uuid`,
    programId === undefined ? undefined : sql`${table}.program_id = ${programId}::uuid`,
    // One status is compared for equality: an index that starts with it is then in the list's order.
    statuses.length === AFFILIATE_STATUSES.length ? undefined : sql`a.status = ${statuses[0]}`,
    source === undefined ? undefined : sql`a.source = ${source}`,
    search === undefined ? undefined : sql`a.search_text like ${searchPatternOf(search)}`,
  ];
};

/**
 * The merchant's affiliates. Blocked affiliates are excluded unless `includeBlocked` or `status` asks for them. Empty for
 * another merchant's program.
 */
export const listAffiliates = (ctx: Context, filter: AffiliateFilter): Promise<Page<AffiliateView>> => {
  const merchantId = merchantOf(ctx);
  const { source, search, sortBy = 'createdAt' } = filter;
  const ascending = (filter.sortOrder ?? (sortBy === 'name' ? 'asc' : 'desc')) === 'asc';
  const statuses = statusesOf(filter);
  const { key, type, table, from } = SORT_KEYS[sortBy];
  const list: ListOf<AffiliateRow, AffiliateView> = {
    // A cursor is a position in one sort order and is only valid for that order.
    name: `affiliates:${sortBy}:${ascending}`,
    columns: sql<AffiliateRow>`${columns}`,
    from,
    where: conditionsOn(table, merchantId, filter),
    countFrom: sql`affiliate a`,
    countWhere: conditionsOn(A, merchantId, filter),
    sort: { key, type, id: table === T ? sql`t.affiliate_id` : sql`a.id`, ascending },
    toItem: (row) => toAffiliate(row, row, row),
  };
  const counted = source === undefined && search === undefined;
  return listPage(
    ctx,
    filter,
    counted ? { ...list, total: countedTotal('affiliate', merchantId, { programId: filter.programId, statuses }) } : list,
  );
};

/** The affiliates of one program. NOT_FOUND and FORBIDDEN as for the program itself. */
export const listProgramAffiliates = async (
  ctx: Context,
  programId: string,
  filter: Omit<AffiliateFilter, 'programId'>,
): Promise<Page<AffiliateView>> => {
  const page = await listAffiliates(ctx, { ...filter, programId });
  // A row proves that the program is the merchant's; only an empty page needs the check.
  if (page.items.length === 0) await getProgramOf(ctx, programId, merchantOf(ctx));
  return page;
};

interface DetailRow extends AffiliateRow {
  merchantId: string;
  currency: string;
  pending: number;
  payable: number;
  inPayout: number;
  paid: number;
}

const toStats = (row: DetailRow): AffiliateStatsView => ({
  currency: row.currency,
  totalRevenue: row.totalRevenue,
  pending: row.pending,
  payable: row.payable,
  inPayout: row.inPayout,
  paid: row.paid,
});

/** With balances when `withStats`. */
export const getAffiliate = async (ctx: Context, id: string, withStats: boolean): Promise<AffiliateDetailView> => {
  const found = await firstRow(
    ctx.em,
    sql<DetailRow>`
      select ${columns}, a.merchant_id as "merchantId", coalesce(b.currency, g.currency) as currency,
        coalesce(b.pending, 0)::float8 as pending, coalesce(b.payable, 0)::float8 as payable,
        coalesce(b.in_payout, 0)::float8 as "inPayout", coalesce(b.paid, 0)::float8 as paid
      from ${from} join program g on g.id = a.program_id left join ledger_balance b on b.affiliate_id = a.id
      where a.id = ${id}::uuid`,
  );
  const row = readOwned(ctx, 'Affiliate', found);
  return { ...toAffiliate(row, row, row), ...(withStats ? { stats: toStats(row) } : {}) };
};
