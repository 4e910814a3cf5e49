import { type Context, inTransaction } from '../../../platform/context.ts';
import { perform } from '../machine/apply.ts';
import { lockOwnState } from '../machine/load.ts';
import type { Payout } from '../payout.entity.ts';

export interface FailPayoutInput {
  id: string;
  note?: string | undefined;
  /** How the bank names what failed. */
  bankReference?: string | undefined;
}

/**
 * Records that a payout was not paid. Throws ALREADY_COMPLETED for one that was, RAIL_ACCEPTED while the provider may still pay it,
 * RAIL_NOT_MANUAL where the provider decides, and ILLEGAL_TRANSITION for any other status: a pending payout is cancelled.
 */
export const failPayout = (ctx: Context, { id, note, bankReference }: FailPayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, id);
    await perform(ctx, locked, { type: 'fail', hasNote: Boolean(note) }, { note, bankReference });
    return locked.payout;
  });
