import type { PayoutRunStatus } from '../../contracts/payout-runs.ts';
import { type Rail, railsThatBeginWith } from '../../contracts/rails.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { durationOf, paceOf } from '../payouts/index.ts';
import { db } from '../tables.ts';
import type {
  PayoutRunDetail,
  PayoutRunDetailRecord,
  PayoutRunPage,
  PayoutRunRecord,
  PayoutRunView,
  RunTotal,
  ShownResult,
} from './payout-runs.wire.ts';
import { SITUATION, toRunRecord } from './run-situation.queries.ts';
import { digestOf } from './seen-payouts.steps.ts';

const RUN = [
  'id',
  'merchantId',
  'name',
  'programId',
  'method',
  'minAmount',
  'executionDate',
  'status',
  'cancelReason',
  'total',
  'items',
  'createdBy',
  'createdAt',
  'confirmedBy',
  'confirmedAt',
  'approvedBy',
  'approvedAt',
  'pausedAt',
  'finishedAt',
] as const;

interface RunFilter {
  programId?: string | undefined;
  status?: PayoutRunStatus | undefined;
}

const runs = list({
  name: 'payout-runs',
  query: ({ merchantId, programId, status }: Given<RunFilter & { merchantId: string }>) => {
    let query = db.selectFrom('payout_run').select(RUN).select(SITUATION).where('merchantId', '=', merchantId);
    if (programId) query = query.where('programId', '=', programId);
    if (status) query = query.where('status', '=', status);
    return query;
  },
  toItem: toRunRecord,
});

/** Newest first. */
export const listPayoutRuns = (
  ctx: Context,
  { programId, status, ...page }: PageQuery & RunFilter,
): Promise<Page<PayoutRunRecord>> => runs(ctx, page, { merchantId: merchantOf(ctx), programId, status });

export const findRun = (ctx: Context, id: string) =>
  firstRow(ctx.em, db.selectFrom('payout_run').select(RUN).select(SITUATION).where('id', '=', id));

/** The caller's own run. Throws NOT_FOUND and FORBIDDEN. */
export const getOwnRun = async (ctx: Context, id: string) => readOwned(ctx, 'Payout run', await findRun(ctx, id));

/** Reads a run with its totals and its progress. */
export const getPayoutRun = async (ctx: Context, id: string): Promise<PayoutRunDetailRecord> => {
  const row = await getOwnRun(ctx, id);
  const run = toRunRecord(row, ctx);
  const totals = await totalsOf(ctx, id);
  const progress = await progressOf(ctx, { ...run, merchantId: row.merchantId }, totals);
  return { ...run, totals, progress, ...(await paidByHandOf(ctx, id)) };
};

/** Reads figures of the manual payouts that are processing. */
export const paidByHandOf = async (ctx: Context, runId: string): Promise<Pick<PayoutRunDetail, 'digest' | 'notHandedOut'>> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('payout as p')
      .select(digestOf(sql.ref('p.id')).as('digest'))
      .select(({ fn, not, exists, selectFrom }) =>
        fn
          .countAll<number>()
          .filterWhere(
            not(exists(selectFrom('payout_timeline as t').whereRef('t.payoutId', '=', 'p.id').where('t.type', '=', 'exported'))),
          )
          .as('notHandedOut'),
      )
      .where('p.payoutRunId', '=', runId)
      .where('p.status', '=', 'processing')
      .where('p.rail', '=', anyOf(railsThatBeginWith('person'))),
  );
  return { digest: row?.digest ?? null, notHandedOut: row?.notHandedOut ?? 0 };
};

/** What became of an item `i` of a run, with its payout `o` if there is one. */
export const RESULT = sql<ShownResult>`coalesce(o.status, i.result)`;
export const REASON = sql<string | null>`coalesce(i.reason, o.failure_code)`;

const totalsOf = (ctx: Context, runId: string): Promise<RunTotal[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('payout_run_item as i')
      .leftJoin('payout as o', 'o.id', 'i.payoutId')
      .select(['i.currency', 'i.rail', RESULT.as('result'), REASON.as('reason')])
      .select(({ fn }) => [
        fn.countAll<number>().as('items'),
        sql<number>`sum(coalesce(i.paid_amount, i.amount))::bigint`.as('amount'),
        sql<number>`coalesce(sum(o.fee), 0)::bigint`.as('fee'),
      ])
      .where('i.runId', '=', runId)
      .groupBy(['i.currency', 'i.rail', RESULT, REASON])
      .orderBy('i.currency')
      .orderBy('i.rail')
      .orderBy(RESULT)
      .orderBy(REASON),
  );

/** What providers charged for payouts of the run, in whatever currency. */
export const listRunFees = (ctx: Context, runId: string): Promise<PayoutRunPage['fees']> =>
  rows(
    ctx.em,
    sql<PayoutRunPage['fees'][number]>`select f.currency, sum(f.amount)::bigint as amount, sum(f.returned)::bigint as returned
      from payout o cross join lateral (
        select * from jsonb_to_recordset(o.fees) as known (currency text, amount bigint, returned bigint) where o.fees is not null
        union all select o.currency, o.fee, 0 where o.fees is null and o.fee is not null) f
      where o.payout_run_id = ${runId} group by f.currency order by f.currency`,
  );

const RATE_MINUTES = 10;

const progressOf = async (
  ctx: Context,
  { id, merchantId, status, confirmedAt }: PayoutRunView & { merchantId: string },
  totals: readonly RunTotal[],
): Promise<PayoutRunDetail['progress']> => {
  const count = (...results: ShownResult[]): number =>
    totals.reduce((sum, { result, items }) => (results.includes(result) ? sum + items : sum), 0);
  const [waiting, open, final] = [count('planned'), count('pending', 'processing'), count('completed', 'failed')];
  const now = ctx.clock.now();
  const minutes = confirmedAt === null ? 0 : Math.min(RATE_MINUTES, (now.getTime() - Date.parse(confirmedAt)) / MINUTE_MS);
  const perMinute =
    status === 'running' && minutes > 0 ? (await countFinalSince(ctx, id, after(now, -minutes * MINUTE_MS))) / minutes : null;
  const measuredMs = perMinute ? ((waiting + open) / perMinute) * MINUTE_MS : 0;
  const leftMs = status === 'running' ? Math.max(measuredMs, ...unsentMs(ctx, merchantId, totals)) : 0;
  const expectedEndAt = leftMs > 0 ? after(now, leftMs).toISOString() : null;
  return { waiting, open, final, perMinute: perMinute && Math.round(perMinute * 10) / 10, expectedEndAt };
};

/** How long the orders that are not sent yet take at the pace of each account. */
const unsentMs = (ctx: Context, merchantId: string, totals: readonly RunTotal[]): number[] => {
  const unsent = new Map<Rail, number>();
  for (const { rail, result, items } of totals)
    if (rail !== null && (result === 'planned' || result === 'pending')) unsent.set(rail, (unsent.get(rail) ?? 0) + items);
  return [...unsent].map(([rail, orders]) => {
    const pace = paceOf(ctx, { merchantId, rail });
    return pace === null ? 0 : durationOf(pace, orders);
  });
};

const countFinalSince = async (ctx: Context, runId: string, since: Date): Promise<number> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('payout')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('payoutRunId', '=', runId)
      .where('status', 'in', ['completed', 'failed'])
      .where(sql<boolean>`greatest(completed_at, failed_at) >= ${since.toISOString()}`),
  );
  return row?.count ?? 0;
};
