import type { Resolution } from '../../../contracts/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { perform } from '../machine/apply.ts';
import { lockOwnState } from '../machine/load.ts';
import type { Payout } from '../payout.entity.ts';

export interface ResolvePayoutInput {
  id: string;
  outcome: Resolution;
  note: string;
}

/**
 * Books what is true about a payout that was reported as paid and as failed. `paid` also ends the review of a return that the
 * provider does not confirm. Throws NOTHING_TO_RESOLVE for any other payout.
 */
export const resolvePayout = (ctx: Context, { id, outcome, note }: ResolvePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, id);
    await perform(ctx, locked, { type: 'resolve', outcome }, { note, resolution: outcome });
    return locked.payout;
  });
