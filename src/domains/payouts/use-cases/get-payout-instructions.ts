import { type Context, inTransaction } from '../../../platform/context.ts';
import { readInstructions } from '../manual/payout-instructions.queries.ts';
import type { PayoutInstructions } from '../manual/payout-instructions.wire.ts';
import { isRunPaused, lockOwnPayout } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.steps.ts';
import { runPaused } from './process-payout.ts';

/**
 * Each call is recorded: bank data is shown to nobody unseen. The lock keeps the status true until the commit. Throws RUN_PAUSED:
 * nothing of a paused run is paid, also what somebody began to pay before.
 */
export const getPayoutInstructions = (ctx: Context, input: { id: string }): Promise<PayoutInstructions> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    if (payout.status === 'processing' && (await isRunPaused(ctx, payout))) throw runPaused(payout);
    const instructions = await readInstructions(ctx, payout);
    await addTimelineEntry(ctx, payout, { type: 'instructions_viewed' });
    return instructions;
  });
