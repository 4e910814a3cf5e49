import type { AttemptOutcome, RailStatus, Resolution } from '../../contracts/payouts.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { signalPendingPayouts, startContradictionWorkflow } from './payout-workflow.ts';
import type { RailStatusUpdate } from './rails/rail.ts';
import { addTimelineEntry } from './timeline.ts';

export interface OpenContradiction {
  n: number;
  attemptId: string;
}

/** Whether a report cannot be true together with what is recorded. */
export const contradicts = (
  payout: { failureCode?: string | null },
  attempt: { outcome: AttemptOutcome; acceptedAt?: Date | string | null },
  reported: RailStatus,
): boolean => {
  if (attempt.outcome === 'paid') return reported === 'failed';
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
  const opened = await firstRow(
    ctx.em,
    sql<{ n: number }>`insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select ${payout.id}::uuid, coalesce(max(n), 0) + 1, ${attempt.id}::uuid, ${attempt.outcome}, ${update.status},
        ${now.toISOString()}::timestamptz
      from payout_contradiction where payout_id = ${payout.id}::uuid having count(*) = count(resolved_at)
      returning n`,
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
};

/** Whether the open contradiction was about an order that the provider had accepted, which it now reports as paid. */
const isNowPaid = async (ctx: Context, payout: Payout, { status }: RailStatusUpdate): Promise<boolean> => {
  if (status !== 'paid') return false;
  const changed = await execute(
    ctx.em,
    sql`update payout_contradiction set reported = 'paid'
      where payout_id = ${payout.id}::uuid and resolved_at is null and reported = 'accepted'`,
  );
  return changed > 0;
};

/** The caller holds the payout's lock. */
export const findOpenContradiction = (ctx: Context, payoutId: string): Promise<OpenContradiction | null> =>
  firstRow(
    ctx.em,
    sql<OpenContradiction>`select n, attempt_id as "attemptId" from payout_contradiction
      where payout_id = ${payoutId}::uuid and resolved_at is null`,
  );

export const closeContradiction = async (
  ctx: Context,
  payout: Payout,
  { n, resolution, note }: { n: number; resolution: Resolution; note: string },
): Promise<void> => {
  await execute(
    ctx.em,
    sql`update payout_contradiction set resolved_at = ${ctx.clock.now().toISOString()}::timestamptz, resolution = ${resolution},
        note = ${note}, resolved_by = ${actorName(ctx.actor)}
      where payout_id = ${payout.id}::uuid and n = ${n}`,
  );
  await startContradictionWorkflow(ctx, payout, n, 'resolved');
  // Those that were on hold may get their first attempt now.
  await signalPendingPayouts(ctx, payout.affiliateId);
};
