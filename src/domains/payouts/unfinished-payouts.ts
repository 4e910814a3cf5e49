import { payoutContradiction } from '../../contracts/workflows/payout-contradiction.ts';
import { payoutLifecycle } from '../../contracts/workflows/payout-lifecycle.ts';
import { payoutReturn } from '../../contracts/workflows/payout-return.ts';
import type { PayoutSummary } from '../../contracts/workflows/payouts.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, type Statement, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue, jsonOf } from '../../platform/outbox/outbox.ts';
import { type UnfinishedWork, type UnfinishedWorkSource, unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { db } from '../tables.ts';
import { contradictionSuffix, SUMMARY, SUMMARY_TABLES } from './payout-workflow.ts';

type Payload<T extends UnfinishedWork['message']['topic']> = Extract<UnfinishedWork['message'], { topic: T }>['payload'];

const restartIf = async (ctx: Context, { message }: UnfinishedWork, isUnfinished: Statement<unknown>): Promise<void> => {
  if (await firstRow(ctx.em, isUnfinished)) await enqueue(ctx, message);
};

// Templates: the database writes the messages as JSON.

/** Payouts that are neither completed nor failed. */
const openPayouts = unfinishedRows<PayoutSummary>({
  name: 'payouts',
  from: SUMMARY_TABLES,
  id: sql`p.id`,
  isUnfinished: sql`p.status in ('pending','processing')`,
  changedAt: sql`p.updated_at`,
  topics: ['payout.start', 'payout.changed'],
  payload: SUMMARY,
  messageOf: (payload) => ({ topic: 'payout.start', subjectId: payload.payoutId, suffix: '', payload }),
  workflowIdOf: payoutLifecycle.id,
});

/** Returned payments that are not recorded yet. */
const openReturns: UnfinishedWorkSource = {
  name: 'returned payments',
  async list(ctx, { after, before, limit }) {
    const payload = jsonOf({ ...SUMMARY, attemptId: sql`t.id`, attemptNumber: sql`t.n` });
    const found = await rows(
      ctx.em,
      sql<{ payload: Payload<'payout.return'> }>`select ${payload} as payload
        from ${SUMMARY_TABLES} join payout_attempt t on t.payout_id = p.id
        where t.return_requested_at < ${before.toISOString()} and t.outcome = 'paid'
          and t.id > ${after ?? FIRST_ID}
          and not exists (select 1 from outbox o where o.topic = 'payout.return' and o.subject_id = t.id)
        order by t.id limit ${limit}`,
    );
    return found.map(({ payload }) => ({
      id: payload.attemptId,
      workflowIds: [payoutReturn.id(payload.payoutId, payload.attemptNumber)],
      message: { topic: 'payout.return', subjectId: payload.attemptId, suffix: '', payload, reconciled: true },
    }));
  },
  restart: (ctx, work) =>
    restartIf(ctx, work, db.selectFrom('payout_attempt').select('id').where('id', '=', work.id).where('outcome', '=', 'paid')),
};

/** Contradictions that nobody resolved yet; a payout has at most one. */
const openContradictions: UnfinishedWorkSource = {
  name: 'contradictions',
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<{ payload: Payload<'payout.contradiction'> }>`select ${jsonOf({ ...SUMMARY, n: sql`k.n` })} as payload
        from ${SUMMARY_TABLES} join payout_contradiction k on k.payout_id = p.id
        where k.resolved_at is null and k.opened_at < ${before.toISOString()} and p.id > ${after ?? FIRST_ID}
          and not exists (select 1 from outbox o where o.topic = 'payout.contradiction' and o.subject_id = p.id)
        order by p.id limit ${limit}`,
    );
    return found.map(({ payload }) => ({
      id: payload.payoutId,
      workflowIds: [payoutContradiction.id(payload.payoutId, payload.n)],
      message: {
        topic: 'payout.contradiction',
        subjectId: payload.payoutId,
        suffix: contradictionSuffix(payload.n),
        payload,
        reconciled: true,
      },
    }));
  },
  restart: (ctx, work) =>
    restartIf(
      ctx,
      work,
      db.selectFrom('payout_contradiction').select('n').where('payoutId', '=', work.id).where('resolvedAt', 'is', null),
    ),
};

export const UNFINISHED_PAYOUTS: readonly UnfinishedWorkSource[] = [openPayouts, openReturns, openContradictions];
