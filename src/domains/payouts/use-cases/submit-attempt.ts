import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { listPendingNotifications } from '../rail-notifications.ts';
import { getRail, type Rails } from '../rails/rails.ts';
import { prepareSend, sendOrder } from '../send-order.ts';

/**
 * Sends an attempt that was never sent. Runs at least once: an attempt that was marked as sent is not sent again,
 * whatever its outcome; only a look-up may follow.
 */
export const submitAttempt = async (
  ctx: Context,
  rails: Rails,
  input: { payoutId: string; attemptId: string },
): Promise<PayoutSnapshot> => {
  const prepared = await inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    const attempt = await ctx.em.findOne(PayoutAttempt, { id: input.attemptId });
    if (attempt?.outcome !== 'created' || payout.status !== 'processing') return null;
    // After a restore the provider may know an attempt that was not sent from here, longer than it remembers the key.
    if ((await listPendingNotifications(ctx, payout.id)).length > 0) return null;
    const rail = getRail(rails, payout.rail);
    return { rail, send: await prepareSend(ctx, payout, attempt) };
  });
  if (prepared) await sendOrder(ctx, prepared.rail, prepared.send);
  return getPayoutSnapshot(ctx, input.payoutId);
};
