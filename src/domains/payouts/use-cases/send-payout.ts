import { type PayoutSnapshot, payoutWorkflowId } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { openRailAttempt } from '../open-attempt.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { getRail, type Rails } from '../rails/rails.ts';
import { sendOrder } from '../send-order.ts';
import { showIn } from '../shown-row.steps.ts';

/**
 * Stores the first attempt of a pending payout as sent, commits, and only then sends it: after a crash in between its
 * outcome is unknown, and only a look-up may follow. A payout on hold stays pending, and one of a blocked affiliate fails.
 * The second call sends nothing.
 */
export const sendPayout = async (ctx: Context, rails: Rails, input: { payoutId: string }): Promise<PayoutSnapshot> => {
  const opened = await inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    if (payout.status !== 'pending') return null;
    const rail = getRail(rails, payout.rail);
    showIn(ctx, payout, payoutWorkflowId(payout.id));
    const send = await openRailAttempt(ctx, payout);
    return send && { rail, send };
  });
  return opened ? sendOrder(ctx, opened.rail, opened.send) : getPayoutSnapshot(ctx, input.payoutId);
};
