import { isPaidByPerson } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { railNotManual } from '../manual-decision.ts';
import { openManualAttempt } from '../open-attempt.ts';
import type { Payout } from '../payout.entity.ts';
import { lockOwnPayout } from '../payout-state.queries.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';

/**
 * Manual rail: a person starts to pay. Throws ILLEGAL_TRANSITION unless the payout is pending, and
 * APPROVAL_REQUIRED before a needed approval. The payout of a blocked
 * affiliate, or with a held commission, is returned as failed.
 */
export const processPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (!isPaidByPerson(payout.rail)) throw railNotManual(payout, 'This payout is paid by a provider, not manually');
    if (payout.status === 'pending') await start(ctx, payout);
    else payout.transitionTo('processing', ctx.clock.now());
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });

const start = async (ctx: Context, payout: Payout): Promise<void> => {
  const block = await openManualAttempt(ctx, payout);
  if (block === 'awaiting_approval')
    throw conflict('APPROVAL_REQUIRED', 'A second actor has to approve the payout first', {
      since: payout.approvalRequiredAt?.toISOString(),
    });
  if (block === 'unresolved_contradiction')
    throw conflict('UNRESOLVED_PAYOUT', 'Another payout to this affiliate was reported as paid and as failed; resolve it first');
  if (block === 'run_paused') throw runPaused(payout);
};

export const runPaused = ({ payoutRunId }: Payout) =>
  conflict('RUN_PAUSED', 'The run of the payout is paused; resume it first', { runId: payoutRunId });
