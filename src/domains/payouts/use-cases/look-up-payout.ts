import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { applyMatchedNotifications, applyRailResult, requestManualReview } from '../apply-rail-status.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import { findAttemptConditions, findLatestAttempt, getAttempt, getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import type { Answer, NeverReceived } from '../rails/answer.ts';
import type { OnlineRail } from '../rails/rail.ts';
import { getRail, type Rails } from '../rails/rails.ts';
import { type PreparedSend, prepareSend, sendOrder, sentAttemptOf } from '../send-order.ts';
import { addStatusCheck } from '../timeline.steps.ts';

/**
 * Asks the provider for the status of an attempt that is still open, and sends it again under the same key when the
 * provider never received it and nothing came up against the payment since. Runs at least once.
 */
export const lookUpPayout = async (ctx: Context, rails: Rails, { payoutId }: { payoutId: string }): Promise<PayoutSnapshot> => {
  const open = await findOpenAttempt(ctx, payoutId);
  return open ? lookUpAttempt(ctx, getRail(rails, open.attempt.rail), open) : getPayoutSnapshot(ctx, payoutId);
};

interface OpenAttempt {
  payout: Payout;
  attempt: PayoutAttempt;
}

/** The attempt that is still open after the notifications that nobody could match before. */
const findOpenAttempt = (ctx: Context, payoutId: string): Promise<OpenAttempt | null> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    const attempt = await findLatestAttempt(ctx, payoutId);
    if (attempt) await applyMatchedNotifications(ctx, payout, attempt);
    return attempt?.isOpen() && !payout.isFinal() ? { payout, attempt } : null;
  });

const lookUpAttempt = async (ctx: Context, rail: OnlineRail, { payout, attempt }: OpenAttempt): Promise<PayoutSnapshot> => {
  const result = await rail.lookUp(sentAttemptOf(payout, attempt));
  const prepared = await inTransaction(ctx, (ctx) => applyLookUp(ctx, rail, attempt, result));
  return 'order' in prepared ? sendOrder(ctx, rail, prepared) : prepared;
};

/** Returns the order to send again when the provider never received it and its key is still safe to repeat. */
const applyLookUp = async (
  ctx: Context,
  rail: OnlineRail,
  { id, payoutId }: PayoutAttempt,
  result: Answer | NeverReceived,
): Promise<PreparedSend | PayoutSnapshot> => {
  const payout = await lockPayout(ctx, payoutId);
  const attempt = await getAttempt(ctx, { id });
  const isOpen = !payout.isFinal() && attempt.isOpen();
  if (isOpen) await addStatusCheck(ctx, payout, attempt, result);
  if (result.outcome !== 'unknown') attempt.lookUpRequested = false;
  // Also after a person's decision during the look-up: the two may contradict each other.
  if (result.outcome !== 'never_received') await applyRailResult(ctx, payout, attempt, result);
  else if (isOpen) {
    attempt.hear({ status: result.outcome, id: null, reason: null, record: null }, ctx.clock.now());
    const block = attempt.resendBlock(ctx.clock.now(), rail.facts.repeatWindowMs ?? 0, ctx.settings.payoutLimits);
    const resend = block === null && !payout.needsAttention ? await prepareResend(ctx, payout, attempt) : null;
    if (resend) return resend;
    if (block !== null && block !== 'too_early') await requestManualReview(ctx, payout, attempt, block);
  }
  await reviewSilence(ctx, rail, payout, attempt);
  return getPayoutSnapshot(ctx, payoutId);
};

/**
 * Null when something came up since the order was first sent: then a person decides, or it waits for as long as its run is paused or
 * another payout to the affiliate is contradicted.
 */
const prepareResend = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<PreparedSend | null> => {
  const { block, payoutsPaused } = await findAttemptConditions(ctx, payout, attempt.idempotencyKey);
  if (block === null && !payoutsPaused) return prepareSend(ctx, payout, attempt);
  const isTemporary = block === 'run_paused' || block === 'unresolved_contradiction';
  if (!isTemporary) await requestManualReview(ctx, payout, attempt, 'resend_blocked');
  return null;
};

const reviewSilence = async (ctx: Context, rail: OnlineRail, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  const { maxUnknownMs } = ctx.settings.payoutLimits;
  const maxAcceptedMs = ctx.settings.scaled(rail.facts.acceptedForMs.default);
  const reason = attempt.silence(ctx.clock.now(), { maxUnknownMs, maxAcceptedMs });
  if (reason && !payout.isFinal()) await requestManualReview(ctx, payout, attempt, reason);
};
