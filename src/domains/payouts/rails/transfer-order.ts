import { after } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { invariant } from '../../../platform/errors.ts';
import { readDetails } from '../create/read-details.steps.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import type { SentAttempt, TransferOrder } from './rail.ts';

/** As a look-up identifies it. */
export const sentAttemptOf = (
  ctx: Context,
  payout: Payout,
  { idempotencyKey, railReference = null, railReferences }: PayoutAttempt,
): SentAttempt => ({
  idempotencyKey,
  railReference,
  reference: payout.id,
  amountMinor: payout.amount,
  currency: payout.currency,
  references: railReferences ?? {},
  details: readDetails(ctx, payout),
});

/** An order that is marked as sent and may be sent until `expiresAt`. */
export interface PreparedSend {
  order: TransferOrder;
  /** Number of the send, from 1. */
  send: number;
  sentAt: Date;
  expiresAt: Date;
}

/** The order of an attempt that is marked as sent. The caller commits that before it sends the order. */
export const prepareSend = (ctx: Context, payout: Payout, attempt: PayoutAttempt): PreparedSend => {
  const { sendLeaseMs } = ctx.settings.payoutLimits;
  const { idempotencyKey, sendCount: send, lastSentAt } = attempt;
  const details = readDetails(ctx, payout);
  invariant(details, 'only a final payout has no recipient');
  invariant(lastSentAt, 'it is marked as sent');
  const order = {
    idempotencyKey,
    reference: payout.id,
    amountMinor: payout.amount,
    currency: payout.currency,
    details,
  };
  return { order, send, sentAt: lastSentAt, expiresAt: after(lastSentAt, sendLeaseMs) };
};
