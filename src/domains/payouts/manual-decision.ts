import { railKind } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { type AppError, conflict } from '../../platform/errors.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { findLatestAttempt, lockOwnPayout } from './payout-state.queries.ts';
import type { TimelineEntry } from './timeline.ts';

export interface ManualDecisionInput {
  id: string;
  note?: string | undefined;
}

interface ManualDecision {
  payout: Payout;
  attempt: PayoutAttempt | null;
  entry: Omit<TimelineEntry, 'type'>;
}

export const railNotManual = ({ rail, needsAttention }: Payout, message: string): AppError =>
  conflict('RAIL_NOT_MANUAL', message, { rail, needsAttention });

/**
 * Locks a payout whose outcome a person records: one on a manual rail or, with a note, one that needs attention. Throws
 * RAIL_NOT_MANUAL for any other.
 */
export const lockForDecision = async (ctx: Context, input: ManualDecisionInput): Promise<ManualDecision> => {
  const payout = await lockOwnPayout(ctx, input.id);
  const isOverride = payout.needsAttention && !payout.isFinal() && Boolean(input.note);
  if (railKind(payout.rail) !== 'manual' && !isOverride) {
    throw railNotManual(
      payout,
      'The payout is being settled by the provider; only payouts with needsAttention can be overridden, and a note is required',
    );
  }
  const attempt = await findLatestAttempt(ctx, payout.id);
  return { payout, attempt, entry: { note: input.note ?? null, ...(attempt ? { attempt: attempt.n } : {}) } };
};
