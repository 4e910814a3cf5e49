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

/** What the rail said, taken in through the table of legal moves; false when it is old news. Locks are the caller's. */
export const applyRailStatus = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  told: RailStatusUpdate,
): Promise<boolean> => {
  // Money that came back was paid before, even where the notification of that is still on its way.
  if (told.status === 'returned' && attempt.isOpen()) await applyRailStatus(ctx, payout, attempt, { ...told, status: 'paid' });
  if (told.status === 'returned') return announceReturn(ctx, payout, attempt);
  if (!attempt.applyOutcome(told.status, ctx.clock.now())) {
    if (contradict(attempt.outcome, told.status)) await askAboutContradiction(ctx, payout, attempt);
    return false;
  }
  attempt.railReference = told.railReference ?? attempt.railReference ?? null;
  attempt.failureCode = told.failureCode;
  const entry = { attempt: attempt.n, railReference: attempt.railReference };
  if (told.status === 'paid') await markCompleted(ctx, payout, { what: 'paid by the rail', ...entry });
  if (told.status === 'failed') {
    await markFailed(ctx, payout, 'rail_refused', { what: 'refused by the rail', reason: told.failureCode, ...entry });
  }
  return true;
};

/** Booked by a short story of its own, because this payout's story may be over. */
const announceReturn = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<boolean> => {
  if (attempt.outcome !== 'paid') return false;
  await startReturnWorkflow(ctx, payout, attempt.id);
  return true;
};

const contradict = (known: AttemptOutcome, told: RailStatus): boolean =>
  (known === 'failed' && told === 'paid') || (known === 'paid' && told === 'failed');

/** The rail said both that it paid and that it did not: nobody may guess which is true. */
const askAboutContradiction = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  payout.needsAttention = true;
  await addTimelineEntry(ctx, payout, { what: 'the rail says paid and failed: a person has to look', attempt: attempt.n });
};

/** An answer to a send or a look-up. */
export const applyRailResult = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  answer: RailResult,
): Promise<void> => {
  attempt.request = answer.request;
  attempt.response = answer.response;
  if (answer.needsPerson && !payout.isFinal()) await requestManualReview(ctx, payout, attempt, answer.problem);
  if (answer.outcome === 'unknown') return;
  await applyRailStatus(ctx, payout, attempt, {
    status: answer.outcome,
    railReference: answer.railReference,
    failureCode: answer.failureCode,
  });
};

/** From here on a person may complete or fail the payout with a note. Asking twice changes nothing. */
export const requestManualReview = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  reason: string | null,
): Promise<void> => {
  if (payout.needsAttention) return;
  payout.needsAttention = true;
  payout.updatedAt = ctx.clock.now();
  await addTimelineEntry(ctx, payout, { what: 'a person has to decide', attempt: attempt.n, reason });
};
