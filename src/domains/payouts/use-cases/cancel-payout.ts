import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import type { Payout } from '../payout.entity.ts';
import { findLatestAttempt, lockOwnPayout, lockPayout } from '../payout-state.queries.ts';
import { markFailed } from '../payout-transitions.ts';
import { signalPayoutWorkflow } from '../payout-workflow.ts';

/** Possible until the first attempt exists; the row lock decides a race with the workflow. */
export const cancelPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (await findLatestAttempt(ctx, payout.id))
      throw conflict('ATTEMPT_STARTED', 'The payment has already started, so the payout cannot be cancelled', {
        status: payout.status,
      });
    if (payout.status === 'failed')
      throw conflict('ILLEGAL_TRANSITION', 'A failed payout cannot be cancelled', { from: 'failed', to: 'failed' });
    await markFailed(ctx, payout, 'cancelled', { type: 'cancelled' });
    await signalPayoutWorkflow(ctx, payout);
    return payout;
  });

/** A payout of a cancelled run, unless it has an attempt. The caller's transaction locked the balance, or locks one payout only. */
export const cancelUnsentPayout = async (ctx: Context, { id }: { id: string }): Promise<void> => {
  const payout = await lockPayout(ctx, id);
  if (payout.status !== 'pending') return;
  await markFailed(ctx, payout, 'cancelled', { type: 'cancelled', reason: 'run_cancelled' });
  await signalPayoutWorkflow(ctx, payout);
};
