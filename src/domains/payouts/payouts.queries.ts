import type { Period } from '../../contracts/conversions.ts';
import { COUNT_MAX } from '../../contracts/limits.ts';
import type { PayoutStatus } from '../../contracts/payouts.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { findRejections, openPayoutDestination, payoutDestination } from '../affiliates/index.ts';
import { findMainCurrency, heldCommissionsOf, payableCountOf, since } from '../conversions/index.ts';
import { countedTotal } from '../merchants/index.ts';
import { db, type Tables } from '../tables.ts';
import type { PayoutStats } from './payout-list.wire.ts';
import { type PayoutView, type PendingAffiliateView, toPayout, toPendingAffiliate } from './payouts.wire.ts';
import { type TimelineEntryView, toTimelineEntry } from './timeline.wire.ts';

export const PAYOUT = [
  'id',
  'affiliateId',
  'programId',
  'affiliateCode',
  'affiliateName',
  'programName',
  'amount',
  'currency',
  'status',
  'method',
  'rail',
  'notes',
  'retryOf',
  'needsAttention',
  'reviewReason',
  'failureCode',
  'railReason',
  'bankReference',
  'executedAt',
  'createdAt',
  'processingAt',
  'completedAt',
  'failedAt',
] as const satisfies readonly (keyof Tables['payout'])[];

const payoutById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('payout').select(PAYOUT).select(['merchantId', 'profileId']).where('id', '=', id),
);

/** 404 when missing, 403 when it belongs to another merchant, or is paid to another person. */
export const getPayout = async (ctx: Context, payoutId: string): Promise<PayoutView> =>
  toPayout(readOwned(ctx, 'Payout', await firstRow(ctx.em, payoutById({ id: payoutId }))));

const timeline = (order: 'asc' | 'desc') =>
  list({
    name: ({ payoutId }) => `timeline-${order}-${payoutId}`,
    query: ({ payoutId }: Given<{ payoutId: string }>) =>
      db
        .selectFrom('payout_timeline as t')
        .leftJoinLateral(
          ({ selectFrom }) =>
            // The limit makes it a look-up for each entry: for a page far behind, the planner would read the checks of all payouts.
            selectFrom('payout_status_check')
              .select(['times', 'lastAt'])
              .whereRef('entryId', '=', 't.id')
              .limit(sql.lit(1))
              .as('k'),
          (join) => join.onTrue(),
        )
        .select(['t.id', 't.at', 't.type', 't.actor', 't.fromStatus as from', 't.toStatus as to', 't.attempt', 't.outcome'])
        .select(['t.railReference', 't.reason', 't.note', 't.reminder', 't.workflowId', 't.runId'])
        .select(({ fn }) => [fn.coalesce('k.times', sql.lit(1)).as('times'), fn.coalesce('k.lastAt', 't.at').as('lastAt')])
        .where('t.payoutId', '=', payoutId),
    counted: ({ payoutId }) =>
      db
        .selectFrom('payout_timeline')
        .select('id')
        .where('payoutId', '=', payoutId)
        .limit(sql.lit(COUNT_MAX + 1)),
    sort: { key: sql.ref('t.seq'), id: sql.ref('t.id'), type: 'bigint', ascending: order === 'asc' },
    toItem: toTimelineEntry,
  });

const timelines = { asc: timeline('asc'), desc: timeline('desc') };

const TIMELINE_PAGE = 100;

/** Oldest first unless `order` is `desc`; pages hold 100 entries by default. */
export const getPayoutTimeline = async (
  ctx: Context,
  payoutId: string,
  { order, ...query }: PageQuery & { order: 'asc' | 'desc' },
): Promise<Page<TimelineEntryView>> => {
  await getPayout(ctx, payoutId);
  const limit = query.limit ?? (query.pageSize === undefined ? TIMELINE_PAGE : undefined);
  return timelines[order](ctx, { ...query, limit }, { payoutId });
};

const owed = list({
  name: 'pending-affiliates',
  query: ({ merchantId, programId }: Given<{ merchantId: string; programId: string | undefined }>) => {
    const query = db
      .selectFrom('ledger_balance as b')
      // The limit keeps the planner from a merge join, which reads the affiliates of all merchants from the newest on.
      .innerJoinLateral(
        ({ selectFrom }) => selectFrom('affiliate').selectAll().whereRef('id', '=', 'b.affiliateId').limit(sql.lit(1)).as('a'),
        (join) => join.onTrue(),
      )
      .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
      .innerJoin('merchant as m', 'm.id', 'a.merchantId')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .crossJoinLateral(heldCommissionsOf(sql.ref('a.id')).as('held'))
      .select(payoutDestination)
      .select(['f.email', 'a.code', 'p.id as programId', 'p.name as programName', 'b.currency', 'a.payoutsPaused'])
      .select(['held.amount as heldAmount', 'held.disputed as disputedAmount', 'p.payoutThreshold as threshold'])
      .select(({ eb }) => [
        sql<string>`coalesce(case when not a.profile_hidden then f.name end, a.name)`.as('name'),
        eb('b.payable', '-', eb.ref('held.amount')).as('pendingAmount'),
        sql<boolean>`a.status = 'blocked'`.as('blocked'),
        sql<number>`(${payableCountOf(sql`a.id`, sql`held.flagged`)})`.as('commissionCount'),
      ])
      .where('b.merchantId', '=', merchantId)
      .where('b.payable', '>', sql.lit(0));
    return programId ? query.where('b.programId', '=', programId) : query;
  },
  total: ({ merchantId, programId }) => countedTotal('owed', merchantId, { programId }),
  sort: { key: sql.ref('b.affiliateId'), id: sql.ref('b.affiliateId'), type: 'uuid', ascending: false },
  toItem: (row, ctx) => ({ row, destination: openPayoutDestination(ctx, row) }),
});

/**
 * Affiliates with a balance, payable or held, newest first (by their ids, which are in the order of creation), including those
 * who are blocked or paused, below the threshold or without a payout method.
 */
export const listPendingPayouts = async (
  ctx: Context,
  { programId, ...query }: PageQuery & { programId?: string | undefined },
): Promise<Page<PendingAffiliateView>> => {
  const merchantId = merchantOf(ctx);
  const page = await owed(ctx, query, { merchantId, programId });
  const payees = page.items.flatMap(({ destination: { details, detailsSince } }) =>
    details ? [{ merchantId, details, detailsSince }] : [],
  );
  const rejections = (await findRejections(ctx, payees)).values();
  const items = page.items.map(({ row, destination }) =>
    toPendingAffiliate(row, { ...destination, rejection: destination.details ? (rejections.next().value ?? null) : null }),
  );
  return { ...page, items };
};

const NO_PAYOUTS = { totalPaid: 0, totalPending: 0, totalFailed: 0, count: 0 };

const sumOf = (statuses: readonly PayoutStatus[]) =>
  sql<number>`coalesce(sum(amount) filter (where status = any(${statuses})), 0)`;

interface PayoutStatsQuery {
  programId?: string | undefined;
  period: Period;
  paidFrom?: string | undefined;
  paidTo?: string | undefined;
}

/** The totals at the top are those of the main currency: that of the merchant's most recent sale. */
export const getPayoutStats = async (
  ctx: Context,
  { programId, period, paidFrom, paidTo }: PayoutStatsQuery,
): Promise<PayoutStats> => {
  const merchantId = merchantOf(ctx);
  const currency = await findMainCurrency(ctx, merchantId, programId);
  const inPeriod = since(ctx, period);
  let query = db
    .selectFrom('payout')
    .select(({ fn }) => ['currency', fn.countAll<number>().as('count')])
    .select([
      sumOf(['completed']).as('totalPaid'),
      sumOf(['pending', 'processing']).as('totalPending'),
      sumOf(['failed']).as('totalFailed'),
    ])
    .where('merchantId', '=', merchantId);
  if (programId) query = query.where('programId', '=', programId);
  if (inPeriod) query = query.where(sql<boolean>`${inPeriod}`);
  if (paidFrom) query = query.where('completedAt', '>=', paidFrom);
  if (paidTo) query = query.where('completedAt', '<', paidTo);
  const byCurrency = await rows(
    ctx.em,
    query
      .groupBy('currency')
      .orderBy(({ eb }) => eb('currency', '=', currency), 'desc')
      .orderBy(({ fn }) => fn.max('createdAt'), 'desc'),
  );
  const main = byCurrency.find((sums) => sums.currency === currency) ?? NO_PAYOUTS;
  return { ...main, currency, byCurrency };
};
