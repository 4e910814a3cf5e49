import type { OutboxTopic } from '../../contracts/outbox.ts';
import type { PayoutSummary } from '../../contracts/workflows.ts';
import type { Context } from '../../platform/context.ts';
import { execute, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { enqueueEach } from '../../platform/outbox/outbox.ts';
import type { Payout } from './payout.entity.ts';

type SummaryFields = { readonly [Name in keyof PayoutSummary]: RawBuilder<unknown> };

/** The columns of a `PayoutSummary`, over `SUMMARY_TABLES`. */
export const SUMMARY: SummaryFields = {
  payoutId: sql`p.id`,
  merchantId: sql`p.merchant_id`,
  programId: sql`p.program_id`,
  affiliateId: sql`p.affiliate_id`,
  affiliateCode: sql`a.code`,
  programName: sql`g.name`,
  amountMinor: sql`p.amount::text`,
  currency: sql`p.currency`,
  rail: sql`p.rail`,
  method: sql`p.method`,
  createdAt: sql`to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

export const SUMMARY_TABLES = sql`payout p join affiliate a on a.id = p.affiliate_id join program g on g.id = p.program_id`;

const enqueueFor = (ctx: Context, topic: Extract<OutboxTopic, 'payout.start' | 'payout.changed'>, { id }: Payout) =>
  execute(
    ctx.em,
    enqueueEach({
      topic,
      suffix: '',
      subjectId: sql`p.id`,
      payload: SUMMARY,
      from: sql`${SUMMARY_TABLES} where p.id = ${id}::uuid`,
    }),
  );

/** Enqueues the start of the payout's workflow. The payout must be stored. */
export const startPayoutWorkflow = async (ctx: Context, payout: Payout): Promise<void> => {
  await enqueueFor(ctx, 'payout.start', payout);
};

/** Tells the running workflow that the payout changed in Postgres; an activity then reads what changed. */
export const signalPayoutWorkflow = async (ctx: Context, payout: Payout): Promise<void> => {
  await enqueueFor(ctx, 'payout.changed', payout);
};

/** Enqueues the workflow that records a returned payment: the payout's own workflow may have ended. */
export const startReturnWorkflow = async (ctx: Context, attemptId: string): Promise<void> => {
  await execute(
    ctx.em,
    sql`with requested as (
        update payout_attempt set return_requested_at = coalesce(return_requested_at, ${ctx.clock.now().toISOString()}::timestamptz)
        where id = ${attemptId}::uuid returning id, payout_id, n)
      ${enqueueEach({
        topic: 'payout.return',
        suffix: '',
        subjectId: sql`r.id`,
        payload: { ...SUMMARY, attemptId: sql`r.id`, attemptNumber: sql`r.n` },
        from: sql`${SUMMARY_TABLES} join requested r on r.payout_id = p.id`,
      })}`,
  );
};

/** Enqueues the workflow of a contradiction or, once it is `resolved`, the signal that ends it. */
export const startContradictionWorkflow = async (
  ctx: Context,
  { id }: Payout,
  n: number,
  state: 'open' | 'resolved' = 'open',
): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic: state === 'open' ? 'payout.contradiction' : 'payout.contradiction_resolved',
      suffix: contradictionSuffix(n),
      subjectId: sql`p.id`,
      payload: { ...SUMMARY, n: sql`${n}::int` },
      from: sql`${SUMMARY_TABLES} where p.id = ${id}::uuid`,
    }),
  );
};

export const contradictionSuffix = (n: number): string => `/contradiction/${n}`;
