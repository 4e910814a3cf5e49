import type { AttemptOutcome, RailStatus } from '../../contracts/payouts.ts';
import type { Context } from '../../platform/context.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { markCompleted, markFailed } from './payout-transitions.ts';
import { startReturnWorkflow } from './payout-workflow.ts';
import type { RailResult } from './rails/rail.ts';
import { addTimelineEntry } from './timeline.ts';

export interface RailStatusUpdate {
  status: RailStatus;
  railReference: string | null;
  failureCode: string | null;
}

/** Applies a status that the provider reported. Returns false when it is stale. The caller holds the payout's lock. */
export const applyRailStatus = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  update: RailStatusUpdate,
): Promise<boolean> => {
  // Returned money was paid before, even when the notification of that has not arrived yet.
  if (update.status === 'returned' && attempt.isOpen())
    await applyRailStatus(ctx, payout, attempt, { ...update, status: 'paid' });
  if (update.status === 'returned') return applyReturn(ctx, attempt);
  if (!attempt.applyOutcome(update.status, ctx.clock.now())) {
    if (contradicts(attempt.outcome, update.status)) await recordContradiction(ctx, payout, attempt);
    return false;
  }
  attempt.railReference = update.railReference ?? attempt.railReference ?? null;
  attempt.failureCode = update.failureCode;
  const entry = { attempt: attempt.n, railReference: attempt.railReference };
  if (update.status === 'paid') await markCompleted(ctx, payout, { type: 'rail_paid', ...entry });
  if (update.status === 'failed') {
    await markFailed(ctx, payout, 'rail_rejected', { type: 'rail_failed', reason: update.failureCode, ...entry });
  }
  return true;
};

const applyReturn = async (ctx: Context, attempt: PayoutAttempt): Promise<boolean> => {
  if (attempt.outcome !== 'paid') return false;
  await startReturnWorkflow(ctx, attempt.id);
  return true;
};

const contradicts = (known: AttemptOutcome, reported: RailStatus): boolean =>
  (known === 'failed' && reported === 'paid') || (known === 'paid' && reported === 'failed');

/** The provider reported both paid and failed: which one is true cannot be determined automatically. */
const recordContradiction = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  payout.needsAttention = true;
  await addTimelineEntry(ctx, payout, { type: 'contradiction_detected', attempt: attempt.n });
};

/** Applies the result of a send or a look-up. The caller holds the payout's lock. */
export const applyRailResult = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  result: RailResult,
): Promise<void> => {
  attempt.request = result.request;
  attempt.response = result.response;
  if (result.needsReview && !payout.isFinal()) await requestManualReview(ctx, payout, attempt, result.problem);
  if (result.outcome === 'unknown') return;
  await applyRailStatus(ctx, payout, attempt, {
    status: result.outcome,
    railReference: result.railReference,
    failureCode: result.failureCode,
  });
};

/** From now on the payout can be completed or failed with a note. The second call changes nothing. */
export const requestManualReview = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  reason: string | null,
): Promise<void> => {
  if (payout.needsAttention) return;
  payout.needsAttention = true;
  payout.updatedAt = ctx.clock.now();
  await addTimelineEntry(ctx, payout, { type: 'manual_review_requested', attempt: attempt.n, reason });
};
