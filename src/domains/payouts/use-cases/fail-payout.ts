import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { lockForDecision, type ManualDecisionInput } from '../manual-decision.ts';
import type { Payout } from '../payout.entity.ts';
import { bookFee, markFailed } from '../payout-transitions.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';

export interface FailPayoutInput extends ManualDecisionInput {
  /** How the bank names what failed. */
  bankReference?: string | undefined;
}

/** Records that a payout was not paid. Throws ILLEGAL_TRANSITION for any other status: a pending payout is cancelled. */
export const failPayout = (ctx: Context, input: FailPayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const { payout, attempt, entry } = await lockForDecision(ctx, input, 'failed');
    const from = payout.status;
    if (from !== 'processing')
      throw conflict(
        'ILLEGAL_TRANSITION',
        `A ${from} payout cannot be marked as failed${from === 'pending' ? ': POST /payouts/{id}/cancel withdraws it' : ''}`,
        { from, to: 'failed' },
      );
    attempt?.applyOutcome('failed', ctx.clock.now());
    if (attempt) await bookFee(ctx, payout, attempt);
    const { bankReference: railReference = null } = input;
    payout.addReference(railReference);
    await markFailed(ctx, payout, 'marked_failed', { type: 'marked_failed', railReference, ...entry });
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });
