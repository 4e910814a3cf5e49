import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { applyRailResult, applyRailStatus, requestManualReview } from '../apply-rail-status.ts';
import { applyAttemptBlock } from '../open-attempt.ts';
import type { Payout } from '../payout.entity.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { findLatestAttempt, getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { closeNotification, listPendingNotifications, matchNotifications } from '../rail-notifications.ts';
import type { NeverReceived, PayoutRail, RailResult } from '../rails/rail.ts';
import { getRail, type Rails } from '../rails/rails.ts';
import { type PreparedSend, prepareSend, sendOrder } from '../send-order.ts';
import { addStatusCheck } from '../timeline.ts';

/**
 * Applies pending notifications and a block of the affiliate and, with `lookUp`, asks the provider for the status of an
 * attempt that is still open.
 * Runs at least once.
 */
export const settlePayout = async (
  ctx: Context,
  rails: Rails,
  input: { payoutId: string; lookUp: boolean },
): Promise<PayoutSnapshot> => {
  const open = await applyNotifications(ctx, input);
  if (input.lookUp && open) await lookUpAttempt(ctx, getRail(rails, open.attempt.rail), open);
  return getPayoutSnapshot(ctx, input.payoutId);
};

interface OpenAttempt {
  payout: Payout;
  attempt: PayoutAttempt;
}

/** Returns the attempt that is still open afterwards, or null. */
const applyNotifications = (
  ctx: Context,
  { payoutId, lookUp }: { payoutId: string; lookUp: boolean },
): Promise<OpenAttempt | null> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    if (payout.status === 'pending') await applyAttemptBlock(ctx, payout);
    if (lookUp) await matchNotifications(ctx, payoutId);
    for (const notification of await listPendingNotifications(ctx, payoutId)) {
      const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id: notification.attemptId });
      const applied = await applyRailStatus(ctx, payout, attempt, notification);
      await ctx.em.flush();
      await closeNotification(ctx, notification.id, applied ? 'applied' : 'stale');
    }
    const attempt = await findLatestAttempt(ctx, payoutId);
    return attempt?.isOpen() && !payout.isFinal() ? { payout, attempt } : null;
  });

const lookUpAttempt = async (ctx: Context, rail: PayoutRail, { payout, attempt }: OpenAttempt): Promise<void> => {
  const { idempotencyKey, railReference = null } = attempt;
  const { id: reference, amount: amountMinor, currency } = payout;
  const result = await rail.lookUp({ idempotencyKey, railReference, reference, amountMinor, currency });
  const prepared = await inTransaction(ctx, (ctx) => applyLookUp(ctx, rail, attempt, result));
  if (prepared) await sendOrder(ctx, rail, prepared);
};

/** Returns the order to send again when the provider never received it and its key is still safe to repeat. */
const applyLookUp = async (
  ctx: Context,
  rail: PayoutRail,
  { id, payoutId }: PayoutAttempt,
  result: RailResult | NeverReceived,
): Promise<PreparedSend | null> => {
  const payout = await lockPayout(ctx, payoutId);
  const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id }, { refresh: true });
  const isOpen = !payout.isFinal() && attempt.isOpen();
  if (isOpen) await addStatusCheck(ctx, payout, attempt, result);
  // Also after a person's decision during the look-up: the two may contradict each other.
  if (result.outcome !== 'never_received') await applyRailResult(ctx, payout, attempt, result);
  else if (isOpen) {
    const block = attempt.resendBlock(ctx.clock.now(), rail.repeatWindowMs, ctx.settings.payoutLimits);
    if (block === null && !payout.needsAttention) return prepareSend(ctx, payout, attempt);
    if (block !== null && block !== 'too_early') await requestManualReview(ctx, payout, attempt, block);
  }
  await reviewSilence(ctx, rail, payout, attempt);
  await ctx.em.flush();
  return null;
};

const reviewSilence = async (ctx: Context, rail: PayoutRail, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  const { maxUnknownMs } = ctx.settings.payoutLimits;
  const reason = attempt.silence(ctx.clock.now(), { maxUnknownMs, maxAcceptedMs: rail.maxAcceptedMs });
  if (reason && !payout.isFinal()) await requestManualReview(ctx, payout, attempt, reason);
};
