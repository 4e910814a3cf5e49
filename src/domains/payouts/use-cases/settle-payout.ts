import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { applyRailResult, applyRailStatus, requestManualReview } from '../apply-rail-status.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { findLatestAttempt, getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { closeNotification, listPendingNotifications } from '../rail-notifications.ts';
import type { NeverReceived, PayoutRail, RailResult, TransferOrder } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import { prepareOrder, sendOrder } from '../send-order.ts';
import { addTimelineEntry } from '../timeline.ts';

/**
 * Applies pending notifications and, with `lookUp`, asks the provider for the status of an attempt that is still open.
 * Runs at least once.
 */
export const settlePayout = async (
  ctx: Context,
  rails: Rails,
  input: { payoutId: string; lookUp: boolean },
): Promise<PayoutSnapshot> => {
  const open = await applyNotifications(ctx, input.payoutId);
  const rail = open && rails.find(open.rail);
  if (input.lookUp && open && rail) await lookUpAttempt(ctx, rail, open);
  return getPayoutSnapshot(ctx, input.payoutId);
};

/** Returns the attempt that is still open afterwards, or null. */
const applyNotifications = (ctx: Context, payoutId: string): Promise<PayoutAttempt | null> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    for (const notification of await listPendingNotifications(ctx, payoutId)) {
      const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id: notification.attemptId });
      const applied = await applyRailStatus(ctx, payout, attempt, notification);
      await ctx.em.flush();
      await closeNotification(ctx, notification.id, applied ? 'applied' : 'stale');
    }
    const attempt = await findLatestAttempt(ctx, payoutId);
    return attempt?.isOpen() && !payout.isFinal() ? attempt : null;
  });

const lookUpAttempt = async (ctx: Context, rail: PayoutRail, attempt: PayoutAttempt): Promise<void> => {
  const { idempotencyKey, railReference = null } = attempt;
  const result = await rail.lookUp({ idempotencyKey, railReference });
  const order = await inTransaction(ctx, (ctx) => applyLookUp(ctx, rail, attempt, result));
  if (order) await sendOrder(ctx, rail, order);
};

/** Returns the order to send again when the provider never received it and its key is still safe to repeat. */
const applyLookUp = async (
  ctx: Context,
  rail: PayoutRail,
  { id, payoutId }: PayoutAttempt,
  result: RailResult | NeverReceived,
): Promise<TransferOrder | null> => {
  const payout = await lockPayout(ctx, payoutId);
  const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id }, { refresh: true });
  if (payout.isFinal() || !attempt.isOpen()) return null;
  const wasReceived = result.outcome !== 'never_received';
  await addTimelineEntry(ctx, payout, {
    type: 'status_checked',
    attempt: attempt.n,
    outcome: result.outcome,
    railReference: wasReceived ? result.railReference : null,
    reason: wasReceived ? (result.problem ?? result.failureCode) : null,
  });
  const block = wasReceived ? null : attempt.resendBlock(ctx.clock.now(), rail.repeatWindowMs);
  if (!wasReceived && block === null) return prepareOrder(ctx, payout, attempt);
  if (wasReceived) await applyRailResult(ctx, payout, attempt, result);
  else await requestManualReview(ctx, payout, attempt, block);
  await ctx.em.flush();
  return null;
};
