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
import { findMainCurrency, since } from '../conversions/index.ts';
import { db, type Tables } from '../tables.ts';
import type { PayoutStats } from './lists/payout-list.wire.ts';
import { paidAtIn } from './manual/payment-time.steps.ts';
import type { PayoutDetail, PayoutRecord } from './payout-record.wire.ts';
import { SITUATION, toPayoutRecord } from './payout-situation.queries.ts';
import { type TimelineEntryView, toTimelineEntry } from './timeline.wire.ts';

export const PAYOUT = [
  'id',
  'affiliateId',
  'programId',
  'affiliateCode',
  'affiliateName',
  'programName',
  'paymentReference',
  'amount',
  'currency',
  'status',
  'method',
  'rail',
  'notes',
  'retryOf',
  'payoutRunId',
  'needsAttention',
  'reviewReason',
  'failureCode',
  'railReason',
  'fee',
  'fees',
  'bankReference',
  'executedAt',
  'railPaidAt',
  'accountEnteredBy',
  'accountEnteredAt',
  'approvalRequiredAt',
  'approvedBy',
  'approvedAt',
  'createdAt',
  'processingAt',
  'completedAt',
  'failedAt',
] as const satisfies readonly (keyof Tables['payout'])[];

const payoutById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('payout').select(PAYOUT).select(SITUATION).select(['merchantId', 'profileId']).where('id', '=', id),
);

/** 404 when missing, 403 when it belongs to another merchant, or is paid to another person. */
export const getPayout = async (ctx: Context, payoutId: string): Promise<PayoutRecord> =>
  toPayoutRecord(readOwned(ctx, 'Payout', await firstRow(ctx.em, payoutById({ id: payoutId }))), ctx);

/** How the provider or the bank names the latest payment, and what its payee received. */
export const findPaymentFacts = async (
  ctx: Context,
  payoutId: string,
): Promise<Pick<PayoutDetail, 'references' | 'conversion'>> => {
  const latest = db.selectFrom('payout_attempt').select(['railReferences', 'conversion']).where('payoutId', '=', payoutId);
  const attempt = await firstRow(ctx.em, latest.orderBy('n', 'desc').limit(sql.lit(1)));
  const { batch = null, item = null, transaction = null, file = null, booking = null } = attempt?.railReferences ?? {};
  const { currency, amountMinor } = attempt?.conversion ?? {};
  const isConverted = currency !== undefined && amountMinor !== undefined;
  return {
    references: { batch, item, transaction, file, booking },
    conversion: isConverted ? { currency, amount: amountMinor } : null,
  };
};

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
  if (paidFrom) query = query.where(paidAtIn(''), '>=', paidFrom);
  if (paidTo) query = query.where(paidAtIn(''), '<', paidTo);
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
