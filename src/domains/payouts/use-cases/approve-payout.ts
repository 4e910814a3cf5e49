import { type Context, inTransaction } from '../../../platform/context.ts';
import { assertMayApprove } from '../approval/second-actors.queries.ts';
import { decideOn, perform } from '../machine/apply.ts';
import { lockOwnState } from '../machine/load.ts';
import type { Payout } from '../payout.entity.ts';

/**
 * A second actor lets a payout be paid. Throws APPROVAL_NOT_REQUIRED when nobody has to, ALREADY_DECIDED when it was approved or has
 * ended, and SAME_ACTOR for whoever must not. Of an approval and a cancellation at once, the payout's lock lets one win.
 */
export const approvePayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, input.id);
    decideOn(locked, { type: 'approve' });
    await assertMayApprove(ctx, locked.payout);
    await perform(ctx, locked, { type: 'approve' });
    return locked.payout;
  });
