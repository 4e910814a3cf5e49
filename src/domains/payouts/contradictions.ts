import type { AttemptOutcome, RailStatus, Resolution } from '../../contracts/payouts.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { emitPayoutEvent } from './payout-transitions.ts';
import { signalPendingPayouts, startContradictionWorkflow } from './payout-workflow.steps.ts';
import type { RailStatusUpdate } from './rails/rail.ts';
import { addTimelineEntry } from './timeline.steps.ts';

export interface OpenContradiction {
  n: number;
  recorded: 'paid' | 'failed' | 'returned';
  attemptId: string;
}

/** Whether a report cannot be true together with what is recorded. */
export const contradicts = (
  payout: { failureCode?: string | null },
  attempt: { outcome: AttemptOutcome; acceptedAt?: Date | string | null },
  reported: RailStatus,
): boolean => {
  if (attempt.outcome === 'paid') return reported === 'failed';
  // See `isKnownPayment`.
  if (attempt.outcome === 'returned') return reported === 'paid';
  if (attempt.outcome !== 'failed') return false;
  // A person recorded that nothing was paid, and only then does the provider say that it has the order.
  const isTakenAfterAll = reported === 'accepted' && payout.failureCode === 'marked_failed' && !attempt.acceptedAt;
  return reported === 'paid' || isTakenAfterAll;
};

/**
 * Books nothing: a person has to find out what is true. While one is open, a further report changes nothing, but for "paid" after
 * "accepted": who resolves it must know that the money was sent.
 */
export const openContradiction = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  update: RailStatusUpdate,
): Promise<void> => {
  const now = ctx.clock.now();
  const next = db
    .selectFrom('payout_contradiction')
    .select([
      sql<string>`${payout.id}::uuid`.as('payoutId'),
      sql<number>`coalesce(max(n), 0) + 1`.as('n'),
      sql<string>`${attempt.id}::uuid`.as('attemptId'),
      sql<string>`${attempt.outcome}::text`.as('recorded'),
      sql<string>`${update.status}::text`.as('reported'),
      sql<string>`${now.toISOString()}::timestamptz`.as('openedAt'),
    ])
    .where('payoutId', '=', payout.id)
    .having(sql<boolean>`count(*) = count(resolved_at)`);
  const opened = await firstRow(
    ctx.em,
    db
      .insertInto('payout_contradiction')
      .columns(['payoutId', 'n', 'attemptId', 'recorded', 'reported', 'openedAt'])
      .expression(next)
      .returning('n'),
  );
  if (opened) {
    payout.startReview('contradiction', now);
    await startContradictionWorkflow(ctx, payout, opened.n);
    // They are on hold from now on.
    await signalPendingPayouts(ctx, payout.affiliateId);
  }
  if (!opened && !(await isNowPaid(ctx, payout, update))) return;
  const { status: outcome, railReference, failureCode: reason } = update;
  await addTimelineEntry(ctx, payout, { type: 'contradiction_detected', attempt: attempt.n, outcome, railReference, reason });
  if (opened) await emitPayoutEvent(ctx, payout, 'payout.needs_attention');
};

/** Whether the open contradiction was about an order that the provider had accepted, which it now reports as paid. */
const isNowPaid = async (ctx: Context, payout: Payout, { status }: RailStatusUpdate): Promise<boolean> => {
  if (status !== 'paid') return false;
  const changed = await execute(
    ctx.em,
    db
      .updateTable('payout_contradiction')
      .set({ reported: 'paid' })
      .where('payoutId', '=', payout.id)
      .where('resolvedAt', 'is', null)
      .where('reported', '=', 'accepted'),
  );
  return changed > 0;
};

/** The caller holds the payout's lock. */
export const findOpenContradiction = (ctx: Context, payoutId: string): Promise<OpenContradiction | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('payout_contradiction')
      .select(['n', 'recorded', 'attemptId'])
      .where('payoutId', '=', payoutId)
      .where('resolvedAt', 'is', null),
  );

export const closeContradiction = async (
  ctx: Context,
  payout: Payout,
  { n, resolution, note }: { n: number; resolution: Resolution; note: string },
): Promise<void> => {
  const resolved = { resolvedAt: ctx.clock.now(), resolution, note, resolvedBy: actorName(ctx.actor) };
  await execute(
    ctx.em,
    db.updateTable('payout_contradiction').set(resolved).where('payoutId', '=', payout.id).where('n', '=', n),
  );
  await startContradictionWorkflow(ctx, payout, n, 'resolved');
  // Those that were on hold may get their first attempt now.
  await signalPendingPayouts(ctx, payout.affiliateId);
};
