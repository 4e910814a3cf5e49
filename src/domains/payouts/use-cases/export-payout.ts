import { type Context, inTransaction } from '../../../platform/context.ts';
import { findLastExport, readInstructions } from '../payout-instructions.queries.ts';
import type { PayoutInstructions } from '../payout-instructions.wire.ts';
import { isRunPaused, lockOwnPayout } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.ts';
import { processPayout, runPaused } from './process-payout.ts';

export interface ExportPayoutInput {
  id: string;
  /** Starts a pending payout, so that it can be neither cancelled nor stopped by a block while somebody pays it. */
  process: boolean;
  /** Exports a payout once more. Otherwise two exports never contain the same payout. */
  repeat: boolean;
}

/** The instructions of a payout for a file, or when it was exported before. Throws RUN_PAUSED: nothing of a paused run is paid. */
export const exportPayout = (
  ctx: Context,
  { id, process, repeat }: ExportPayoutInput,
): Promise<{ instructions: PayoutInstructions } | { exportedAt: Date }> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, id);
    const exportedAt = repeat ? null : await findLastExport(ctx, id);
    if (exportedAt) return { exportedAt };
    if (process && payout.status === 'pending') await processPayout(ctx, { id });
    else if (await isRunPaused(ctx, payout)) throw runPaused(payout);
    const instructions = await readInstructions(ctx, payout);
    await addTimelineEntry(ctx, payout, { type: 'exported' });
    return { instructions };
  });
