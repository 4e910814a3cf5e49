import { railKind } from '../../../contracts/rails.ts';
import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { applyAttemptBlock, openAttempt } from '../open-attempt.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { getRail, type Rails } from '../rails/rails.ts';

/**
 * Reserves the first attempt and moves the payout to processing, before anything is sent. On a manual rail
 * `processPayout` does that. A payout on hold stays pending, and one of a blocked affiliate fails. The second call
 * changes nothing.
 */
export const startAttempt = (ctx: Context, rails: Rails, input: { payoutId: string }): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    if (payout.status === 'pending' && railKind(payout.rail) === 'manual') await applyAttemptBlock(ctx, payout);
    else if (payout.status === 'pending') {
      getRail(rails, payout.rail);
      await openAttempt(ctx, payout);
    }
    await ctx.em.flush();
    return getPayoutSnapshot(ctx, payout.id);
  });
