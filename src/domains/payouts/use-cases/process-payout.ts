import { railKind } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { railNotManual } from '../manual-decision.ts';
import { openAttempt } from '../open-attempt.ts';
import type { Payout } from '../payout.entity.ts';
import { lockOwnPayout } from '../payout-state.queries.ts';
import { signalPayoutWorkflow } from '../payout-workflow.ts';

/** Manual rail: a person starts to pay. Throws ILLEGAL_TRANSITION unless the payout is pending. */
export const processPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (railKind(payout.rail) !== 'manual') throw railNotManual(payout, 'Only a payout on a manual rail can be processed');
    if (payout.status === 'pending') await openAttempt(ctx, payout);
    else payout.transitionTo('processing', ctx.clock.now());
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });
