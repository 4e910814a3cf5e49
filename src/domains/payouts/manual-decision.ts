import { railKind } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { type AppError, conflict, invalidField } from '../../platform/errors.ts';
import { dayOf } from './payment-facts.ts';
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
 * RAIL_NOT_MANUAL for any other, RAIL_ACCEPTED for a failure of what the provider may still pay, and ALREADY_COMPLETED for a
 * failure of what was paid: a late click must not make the money payable again.
 */
export const lockForDecision = async (
  ctx: Context,
  input: ManualDecisionInput,
  decision: 'paid' | 'failed',
): Promise<ManualDecision> => {
  const payout = await lockOwnPayout(ctx, input.id);
  const attempt = await findLatestAttempt(ctx, payout.id);
  if (decision === 'failed' && payout.status === 'completed')
    throw conflict('ALREADY_COMPLETED', 'The payout is completed; POST /payouts/{id}/return records that the money came back');
  if (decision === 'failed' && isHeldByRail(payout, attempt)) {
    throw conflict('RAIL_ACCEPTED', 'The provider has accepted the payout and may still pay it', { rail: payout.rail });
  }
  const isOverride = payout.needsAttention && !payout.isFinal() && Boolean(input.note);
  if (railKind(payout.rail) !== 'manual' && !isOverride) {
    throw railNotManual(
      payout,
      payout.isFinal()
        ? `The provider has settled this payout: it is ${payout.status}`
        : 'The payout is being settled by the provider; only payouts with needsAttention can be overridden, and a note is required',
    );
  }
  return { payout, attempt, entry: { note: input.note ?? null, ...(attempt ? { attempt: attempt.n } : {}) } };
};

/** After the provider's silence a person may decide even what it accepted; its later word is a contradiction then. */
const isHeldByRail = (payout: Payout, attempt: PayoutAttempt | null): boolean =>
  !payout.isFinal() && attempt?.outcome === 'accepted' && payout.reviewReason !== 'accepted_too_long';

/** When a bank executed a payment or sent it back, as a person says. West of UTC, a payout is made on the day before that of its time. */
export const timeOfPayment = (
  ctx: Context,
  { createdAt }: Payout,
  field: 'executedAt' | 'occurredAt',
  time: string | undefined,
): Date | undefined => {
  const at = time === undefined ? undefined : new Date(time);
  if (at && at > ctx.clock.now()) throw invalidField(field, 'is in the future');
  if (at && dayOf(at) < dayOf(createdAt) - 1) throw invalidField(field, 'is before the payout was created');
  return at;
};
