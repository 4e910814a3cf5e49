import type { CorrectionSnapshot } from '../../../contracts/workflows/payout-correction.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { invariant } from '../../../platform/errors.ts';
import { getCorrectionSnapshot } from '../corrections.steps.ts';
import { perform } from '../machine/apply.ts';
import { hearAnswer } from '../machine/hear.ts';
import { type LockedPayout, lockState } from '../machine/load.ts';
import { railOfAttempt } from '../rails/account-rails.queries.ts';
import type { Answer, NeverReceived } from '../rails/answer.ts';
import type { Rails } from '../rails/rails.ts';
import { sentAttemptOf } from '../rails/transfer-order.ts';
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
  invariant(reported.attempt, 'what was paid has an attempt');
  const rail = await railOfAttempt(ctx, rails, reported.attempt);
  const result = await rail.lookUp(sentAttemptOf(ctx, reported.payout, reported.attempt));
  return inTransaction(ctx, (ctx) => applyCheck(ctx, of, result));
};

/** Null when nobody has to be asked. */
const findReported = async (ctx: Context, { payoutId, n }: Correction): Promise<LockedPayout | null> => {
  const locked = await lockState(ctx, payoutId);
  return isUnconfirmed(locked, n) ? locked : null;
};

const isUnconfirmed = ({ openReturn, attempt, state }: LockedPayout, n: number): boolean =>
  openReturn?.n === n && attempt?.outcome === 'paid' && !state.attempt?.isReturnReported;

const applyCheck = async (
  ctx: Context,
  { payoutId, n }: Correction,
  result: Answer | NeverReceived,
): Promise<CorrectionSnapshot> => {
  const locked = await lockState(ctx, payoutId);
  const { payout, attempt, openReturn } = locked;
  if (openReturn?.n === n && attempt?.outcome === 'paid') {
    await addStatusCheck(ctx, payout, attempt, result);
    const { outcome } = result;
    if (outcome === 'returned' || outcome === 'failed') await hearAnswer(ctx, locked, { ...result, outcome });
    await perform(ctx, locked, { type: 'book_return' });
    if (locked.state.returnReport) await perform(ctx, locked, { type: 'review', reason: 'return_unconfirmed' });
  }
  return getCorrectionSnapshot(ctx, payoutId, n);
};
