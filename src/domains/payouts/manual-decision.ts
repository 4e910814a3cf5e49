import { isPaidByPerson } from '../../contracts/rails.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { type AppError, conflict, invalidField } from '../../platform/errors.ts';
import { dayIn, timeIn } from '../../platform/local-time.ts';
import { getTimeZone } from '../given-times.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { findLatestAttempt, lockOwnPayout } from './payout-state.queries.ts';
import type { TimelineEntry } from './timeline.steps.ts';

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
  if (!isPaidByPerson(payout.rail) && !isOverride) {
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

/**
 * When a bank did something, as a person says. Banks and people know days, so what is today for the merchant is not in the future, and a
 * payment is made on the day before that of its payout where the bank's day began later.
 */
export const timeOfPayment = async (
  ctx: Context,
  { merchantId, createdAt }: Payout,
  field: 'executedAt' | 'occurredAt',
  time: string | undefined,
): Promise<Date | undefined> => {
  if (time === undefined) return undefined;
  const zone = await getTimeZone(ctx, merchantId);
  const at = timeIn(time, zone);
  const today = dayIn(ctx.clock.now(), zone);
  if (dayIn(at, zone) > today) throw invalidField(field, `is in the future: in your time zone, ${zone}, today is ${today}`);
  if (dayIn(at, zone) < dayIn(after(createdAt, -DAY_MS), zone)) throw invalidField(field, 'is before the payout was created');
  return at;
};
