import type { CorrectionSnapshot } from '../../../contracts/workflows/payout-correction.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { applyRailStatus, requestManualReview } from '../apply-rail-status.ts';
import { bookConfirmedReturn, getCorrection, getCorrectionSnapshot } from '../corrections.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import { getAttempt, lockPayout } from '../payout-state.queries.ts';
import type { Answer, NeverReceived } from '../rails/answer.ts';
import { getRail, type Rails } from '../rails/rails.ts';
import { sentAttemptOf } from '../send-order.ts';
import { addStatusCheck } from '../timeline.steps.ts';
import { bookCorrection } from './book-correction.ts';

interface Correction {
  payoutId: string;
  n: number;
}

/**
 * Asks the provider about a return that a person reported, and books it when the provider confirms it. Otherwise nothing is
 * booked, and a person has to give evidence or withdraw the report. Runs at least once.
 */
export const checkReturn = async (ctx: Context, rails: Rails, of: Correction): Promise<CorrectionSnapshot> => {
  const reported = await inTransaction(ctx, (ctx) => findReported(ctx, of));
  if (!reported) return bookCorrection(ctx, of);
  const result = await getRail(rails, reported.attempt.rail).lookUp(sentAttemptOf(reported.payout, reported.attempt));
  return inTransaction(ctx, (ctx) => applyCheck(ctx, of, result));
};

/** Null when nobody has to be asked. */
const findReported = async (
  ctx: Context,
  { payoutId, n }: Correction,
): Promise<{ payout: Payout; attempt: PayoutAttempt } | null> => {
  const payout = await lockPayout(ctx, payoutId);
  const { status, attemptId } = await getCorrection(ctx, payoutId, n);
  const attempt = await getAttempt(ctx, { id: attemptId });
  const isAsked = status === 'open' && attempt.outcome === 'paid' && !attempt.returnRequestedAt;
  return isAsked ? { payout, attempt } : null;
};

const applyCheck = async (
  ctx: Context,
  { payoutId, n }: Correction,
  result: Answer | NeverReceived,
): Promise<CorrectionSnapshot> => {
  const payout = await lockPayout(ctx, payoutId);
  const correction = await getCorrection(ctx, payoutId, n);
  const attempt = await getAttempt(ctx, { id: correction.attemptId });
  if (correction.status === 'open' && attempt.outcome === 'paid') {
    await addStatusCheck(ctx, payout, attempt, result);
    const { outcome } = result;
    if (outcome === 'returned' || outcome === 'failed')
      await applyRailStatus(ctx, payout, attempt, {
        status: outcome,
        railReference: result.railReference,
        failureCode: result.fault?.code ?? null,
      });
    await bookConfirmedReturn(ctx, payout, correction);
    if (!correction.closedAt) await requestManualReview(ctx, payout, attempt, 'return_unconfirmed');
  }
  return getCorrectionSnapshot(ctx, payoutId, n);
};
