import { type Context, inTransaction } from '../../../platform/context.ts';
import { findLastExport, type LastExport, readInstructions } from '../manual/payout-instructions.queries.ts';
import type { PayoutInstructions } from '../manual/payout-instructions.wire.ts';
import { isRunPaused, lockOwnPayout } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.steps.ts';
import { processPayout, runPaused } from './process-payout.ts';

export interface ExportPayoutInput {
  id: string;
  /** Starts a pending payout, so that it can be neither cancelled nor stopped by a block while somebody pays it. */
  process: boolean;
  /** Exports a payout once more. Otherwise two exports never contain the same payout. */
  repeat: boolean;
  /** Whether the file can hold it. One that it cannot hold is not recorded as exported. Default: it can. */
  accepts?: (instructions: PayoutInstructions) => boolean;
}

/** `instructions` for a file, with the export before if there was one; only that when it is not repeated; or that no file holds it. */
type Exported =
  | { instructions: PayoutInstructions; before: LastExport | null }
  | (LastExport & { instructions?: undefined })
  | { omitted: true };

/** What a file holds of a payout. Throws RUN_PAUSED: nothing of a paused run is paid. */
export const exportPayout = (ctx: Context, { id, process, repeat, accepts = () => true }: ExportPayoutInput): Promise<Exported> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, id);
    const before = await findLastExport(ctx, id);
    if (before && !repeat) return before;
    if (process && payout.status === 'pending') await processPayout(ctx, { id });
    else if (await isRunPaused(ctx, payout)) throw runPaused(payout);
    const instructions = await readInstructions(ctx, payout);
    if (!accepts(instructions)) return { omitted: true };
    await addTimelineEntry(ctx, payout, { type: 'exported' });
    return { instructions, before };
  });

/** As it was exported, for the file of that time: records nothing. Throws RUN_PAUSED, and NOT_PROCESSING when it is not to be paid now. */
export const readExported = (ctx: Context, { id }: { id: string }): Promise<PayoutInstructions> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, id);
    if (await isRunPaused(ctx, payout)) throw runPaused(payout);
    return readInstructions(ctx, payout);
  });
