import { type Context, inTransaction } from '../../../platform/context.ts';
import { assertPaymentsNotHeld } from '../holds/payments-hold.steps.ts';
import { perform } from '../machine/apply.ts';
import { lockOwnState } from '../machine/load.ts';
import { readInstructions } from '../manual/payout-instructions.queries.ts';
import type { PayoutInstructions } from '../manual/payout-instructions.wire.ts';
import { isRunPaused } from '../payout-state.queries.ts';

/**
 * Each call is recorded: bank data is shown to nobody unseen. The lock keeps the status true until the commit. Throws RAIL_NOT_MANUAL
 * where a provider pays, NOT_PROCESSING unless somebody started to pay, RUN_PAUSED, and PAYMENTS_HELD.
 */
export const getPayoutInstructions = (ctx: Context, input: { id: string }): Promise<PayoutInstructions> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, input.id);
    await perform(ctx, locked, { type: 'read_instructions', isRunPaused: await isRunPaused(ctx, locked.payout) });
    await assertPaymentsNotHeld(ctx);
    return readInstructions(ctx, locked.payout);
  });
