import { type Context, inTransaction } from '../../../platform/context.ts';
import { assertPaymentsNotHeld } from '../holds/payments-hold.steps.ts';
import { assertRunGoesOn, decideOn } from '../machine/apply.ts';
import { type LockedPayout, lockOwnState } from '../machine/load.ts';
import { findLastExport, type LastExport, readInstructions } from '../manual/payout-instructions.queries.ts';
import type { PayoutInstructions } from '../manual/payout-instructions.wire.ts';
import { isRunPaused } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.steps.ts';
import { startPayment } from './process-payout.ts';

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

/** What a file holds of a payout. Throws RUN_PAUSED and PAYMENTS_HELD: nothing is paid meanwhile. */
export const exportPayout = (ctx: Context, { id, process, repeat, accepts = () => true }: ExportPayoutInput): Promise<Exported> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, id);
    const before = await findLastExport(ctx, id);
    if (before && !repeat) return before;
    if (process && locked.state.status === 'pending') await startPayment(ctx, locked);
    const instructions = await readWith(ctx, locked);
    if (!accepts(instructions)) return { omitted: true };
    await addTimelineEntry(ctx, locked.payout, { type: 'exported' });
    return { instructions, before };
  });

/** As it was exported, for the file of that time: records nothing. Throws RUN_PAUSED, and NOT_PROCESSING when it is not to be paid now. */
export const readExported = (ctx: Context, { id }: { id: string }): Promise<PayoutInstructions> =>
  inTransaction(ctx, async (ctx) => readWith(ctx, await lockOwnState(ctx, id)));

/** The file has an entry of its own on the timeline. */
const readWith = async (ctx: Context, locked: LockedPayout): Promise<PayoutInstructions> => {
  assertRunGoesOn(locked, await isRunPaused(ctx, locked.payout));
  await assertPaymentsNotHeld(ctx);
  decideOn(locked, { type: 'read_instructions', isRunPaused: false });
  return readInstructions(ctx, locked.payout);
};
