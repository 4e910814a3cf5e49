import { railKind } from '../../../contracts/rails.ts';
import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { openAttempt } from '../open-attempt.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { markFailed } from '../payout-transitions.ts';
import type { Rails } from '../rails/rails.ts';

/**
 * Reserves the first attempt and moves the payout to processing, before anything is sent. On a manual rail
 * `processPayout` does that, and this changes nothing. The second call changes nothing.
 */
export const startAttempt = (ctx: Context, rails: Rails, input: { payoutId: string }): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    if (payout.status === 'pending' && railKind(payout.rail) !== 'manual') {
      if (rails.find(payout.rail)) await openAttempt(ctx, payout);
      else await markFailed(ctx, payout, 'no_rail', { type: 'rail_unavailable' });
    }
    await ctx.em.flush();
    return getPayoutSnapshot(ctx, payout.id);
  });
