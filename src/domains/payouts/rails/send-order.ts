import type { RailFacts } from '../../../contracts/rails.ts';
import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { invariant } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { hearResult, hearWaitingNotices } from '../machine/hear.ts';
import { lockState } from '../machine/load.ts';
import { isFinal } from '../machine/state.ts';
import { getPayoutSnapshot } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.steps.ts';
import { type Answer, unknownAnswer } from './answer.ts';
import type { OnlineRail } from './rail.ts';
import type { PreparedSend } from './transfer-order.ts';

/**
 * Sends a prepared order outside any transaction, then applies the result. Nothing is sent after the lease: the process
 * may have been suspended while a person decided, so only a look-up follows.
 */
export const sendOrder = async (ctx: Context, rail: OnlineRail, prepared: PreparedSend): Promise<PayoutSnapshot> => {
  faultPoint('payout:before-submit');
  const isExpired = ctx.clock.now() > prepared.expiresAt;
  const result = isExpired ? null : await rail.submit(prepared.order);
  faultPoint('payout:after-submit');
  return inTransaction(ctx, (ctx) => recordSend(ctx, prepared, result, rail.facts));
};

/**
 * Where nobody can be asked about an order, the refusal of a resend says nothing about the send before, which may have been executed: only
 * a payment under its name does.
 */
const withoutRefusal = ({ evidence, ...answer }: Answer): Answer => {
  const isRefusal = answer.outcome === 'failed' && answer.railReference === null && !answer.word?.record;
  return { ...(isRefusal ? unknownAnswer('resend_refused', answer) : answer), ...(evidence ? { evidence } : {}) };
};

const recordSend = async (
  ctx: Context,
  { order, send, sentAt }: PreparedSend,
  answer: Answer | null,
  { isFoundByKey }: Pick<RailFacts, 'isFoundByKey'>,
): Promise<PayoutSnapshot> => {
  const locked = await lockState(ctx, order.reference);
  const { payout, attempt } = locked;
  invariant(attempt?.idempotencyKey === order.idempotencyKey, 'the attempt was stored before it was sent');
  const result = answer && attempt.mayBeTaken && !isFoundByKey ? withoutRefusal(answer) : answer;
  if (!result || result.notTaken) attempt.markNotTaken(send, ctx.settings.payoutLimits, result?.notTaken?.retryAfterMs);
  if (result) {
    await addTimelineEntry(ctx, payout, {
      type: 'attempt_sent',
      attempt: attempt.n,
      outcome: result.outcome,
      railReference: result.railReference,
      reason: result.problem ?? result.fault?.code ?? null,
      evidence: result.evidence,
    });
    await hearResult(ctx, locked, result, sentAt);
    // What the provider reported while the attempt was being stored can contradict a final result. Others are looked up.
    if (isFinal(locked.state)) await hearWaitingNotices(ctx, locked);
  } else {
    await addTimelineEntry(ctx, payout, { type: 'send_dropped', attempt: attempt.n });
  }
  return getPayoutSnapshot(ctx, payout.id);
};
