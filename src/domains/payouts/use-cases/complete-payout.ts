import { isPaidByPerson } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { lockForDecision, type ManualDecisionInput, timeOfPayment } from '../manual-decision.ts';
import type { Payout } from '../payout.entity.ts';
import { bookFee, markCompleted } from '../payout-transitions.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';

const UNPROCESSED = 'A pending payout cannot become completed: POST /payouts/{id}/process marks it as in progress first';
const PENDING = { from: 'pending', to: 'completed' };

export interface CompletePayoutInput extends ManualDecisionInput {
  bankReference?: string | undefined;
  executedAt?: string | undefined;
}

/** Records that a payout was paid. Throws ILLEGAL_TRANSITION unless it is processing. */
export const completePayout = (ctx: Context, input: CompletePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const { payout, attempt, entry } = await lockForDecision(ctx, input, 'paid');
    if (payout.status === 'pending' && isPaidByPerson(payout.rail)) throw conflict('ILLEGAL_TRANSITION', UNPROCESSED, PENDING);
    const { bankReference = null, executedAt } = input;
    attempt?.applyOutcome('paid', ctx.clock.now());
    if (attempt) await bookFee(ctx, payout, attempt);
    payout.bankReference = bankReference;
    payout.addReference(bankReference);
    payout.executedAt = (await timeOfPayment(ctx, payout, 'executedAt', executedAt)) ?? null;
    await markCompleted(ctx, payout, { type: 'marked_paid', railReference: bankReference, ...entry });
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });
