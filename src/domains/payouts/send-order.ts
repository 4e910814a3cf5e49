import type { PayoutSnapshot } from '../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { invariant } from '../../platform/errors.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { applyMatchedNotifications, applyRailResult } from './apply-rail-status.ts';
import { readDetails } from './create/read-details.steps.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { getAttempt, getPayoutSnapshot, lockPayout } from './payout-state.queries.ts';
import type { Answer } from './rails/answer.ts';
import type { OnlineRail, SentAttempt, TransferOrder } from './rails/rail.ts';
import { addTimelineEntry } from './timeline.steps.ts';

/** As a look-up identifies it. */
export const sentAttemptOf = (
  { id, amount, currency }: Payout,
  { idempotencyKey, railReference = null }: PayoutAttempt,
): SentAttempt => ({
  ...{ idempotencyKey, railReference, reference: id, amountMinor: amount, currency },
  references: {},
});

/** An order that is marked as sent and may be sent until `expiresAt`. */
export interface PreparedSend {
  order: TransferOrder;
  /** Number of the send, from 1. */
  send: number;
  expiresAt: Date;
}

/**
 * Marks the attempt as sent, which the caller commits before it sends the order: after a crash the outcome is unknown, never
 * "not sent".
 */
export const prepareSend = (ctx: Context, payout: Payout, attempt: PayoutAttempt): PreparedSend => {
  const { payoutLimits } = ctx.settings;
  const now = ctx.clock.now();
  attempt.markSent(now, payoutLimits);
  const details = readDetails(ctx, payout);
  invariant(details, 'only a final payout has no recipient');
  const order = {
    idempotencyKey: attempt.idempotencyKey,
    reference: payout.id,
    amountMinor: payout.amount,
    currency: payout.currency,
    details,
  };
  return { order, send: attempt.sendCount, expiresAt: new Date(now.getTime() + payoutLimits.sendLeaseMs) };
};

/**
 * Sends a prepared order outside any transaction, then applies the result. Nothing is sent after the lease: the process
 * may have been suspended while a person decided, so only a look-up follows.
 */
export const sendOrder = async (ctx: Context, rail: OnlineRail, prepared: PreparedSend): Promise<PayoutSnapshot> => {
  faultPoint('payout:before-submit');
  const isExpired = ctx.clock.now() > prepared.expiresAt;
  const result = isExpired ? null : await rail.submit(prepared.order);
  faultPoint('payout:after-submit');
  return inTransaction(ctx, (ctx) => recordSend(ctx, prepared, result));
};

const recordSend = async (ctx: Context, { order, send }: PreparedSend, result: Answer | null): Promise<PayoutSnapshot> => {
  const payout = await lockPayout(ctx, order.reference);
  const attempt = await getAttempt(ctx, { idempotencyKey: order.idempotencyKey });
  if (!result || result.notTaken) attempt.markNotTaken(send, ctx.settings.payoutLimits, result?.notTaken?.retryAfterMs);
  if (result) {
    await addTimelineEntry(ctx, payout, {
      type: 'attempt_sent',
      attempt: attempt.n,
      outcome: result.outcome,
      railReference: result.railReference,
      reason: result.problem ?? result.fault?.code ?? null,
    });
    await applyRailResult(ctx, payout, attempt, result);
    // What the provider reported while the attempt was being stored can contradict a final result. Others are looked up.
    if (payout.status !== 'processing') await applyMatchedNotifications(ctx, payout, attempt);
  } else {
    await addTimelineEntry(ctx, payout, { type: 'send_dropped', attempt: attempt.n });
  }
  return getPayoutSnapshot(ctx, payout.id);
};
