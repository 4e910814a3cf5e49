import { payoutRun } from '../../contracts/workflows/payout-run.ts';
import type { PayoutRunSummary } from '../../contracts/workflows/payout-runs.ts';
import type { Context } from '../../platform/context.ts';
import { execute, type FieldsOf, isoOf, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { enqueueEach } from '../../platform/outbox/outbox.ts';
import { type UnfinishedWorkSource, unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';

// Templates: the database writes the messages as JSON.

const SUMMARY_TABLES = sql`payout_run r left join program g on g.id = r.program_id cross join lateral (
  select coalesce(jsonb_agg(jsonb_build_object('currency', i.currency, 'minor', i.minor) order by i.currency), '[]') as amounts,
    coalesce(sum(i.affiliates), 0) as affiliates
  from (select currency, sum(amount) as minor, count(*) as affiliates from payout_run_item
    where run_id = r.id and result <> 'left_out' group by currency) i) t`;

const SUMMARY: FieldsOf<Required<PayoutRunSummary>> = {
  runId: sql`r.id`,
  merchantId: sql`r.merchant_id`,
  programId: sql`r.program_id`,
  programName: sql`g.name`,
  companyName: sql`(select m.company_name from merchant m where m.id = r.merchant_id)`,
  name: sql`r.name`,
  amounts: sql`t.amounts`,
  affiliates: sql`t.affiliates`,
  createdAt: isoOf(sql`r.created_at`),
};

const enqueueRun = async (ctx: Context, topic: 'payout_run.started' | 'payout_run.changed', id: string): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic,
      suffix: '',
      subjectId: sql`r.id`,
      payload: SUMMARY,
      from: sql`${SUMMARY_TABLES} where r.id = ${id}`,
    }),
  );
};

/** Enqueues the start of the run's workflow. The run and its items must be stored. */
export const startRunWorkflow = (ctx: Context, { id }: { id: string }): Promise<void> =>
  enqueueRun(ctx, 'payout_run.started', id);

/** Tells the run's workflow to read the run again. */
export const signalRunWorkflow = (ctx: Context, { id }: { id: string }): Promise<void> =>
  enqueueRun(ctx, 'payout_run.changed', id);

/** A cancelled run is unfinished while something of it could still be paid that nobody sent. */
const isUnfinished = (run: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  ${run}.status in ('draft','awaiting_approval','running','paused') or ${run}.run_lost
  or ${run}.status = 'cancelled' and (
    exists (select from payout_run_item i where i.run_id = ${run}.id and i.result = 'planned')
    or exists (select from payout p where p.payout_run_id = ${run}.id and p.status = 'pending')))`;

export const UNFINISHED_RUNS: UnfinishedWorkSource = unfinishedRows(payoutRun, {
  name: 'payout runs',
  from: SUMMARY_TABLES,
  id: sql`r.id`,
  isUnfinished: isUnfinished(sql`r`),
  changedAt: sql`r.updated_at`,
  queuedAs: ['payout_run.started', 'payout_run.changed'],
  payload: SUMMARY,
});
