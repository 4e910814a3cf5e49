import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockForDecision, type ManualDecisionInput } from '../manual-decision.ts';
import type { Payout } from '../payout.entity.ts';
import { markCompleted } from '../payout-transitions.ts';
import { signalPayoutWorkflow } from '../payout-workflow.ts';

/** Records that a payout was paid. Throws ILLEGAL_TRANSITION unless it is processing. */
export const completePayout = (ctx: Context, input: ManualDecisionInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const { payout, attempt, entry } = await lockForDecision(ctx, input, 'paid');
    attempt?.applyOutcome('paid', ctx.clock.now());
    await markCompleted(ctx, payout, { type: 'marked_paid', ...entry });
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });
