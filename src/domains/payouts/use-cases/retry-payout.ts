import { type Context, inTransaction } from '../../../platform/context.ts';
import { perform } from '../machine/apply.ts';
import { loadRetry, lockOwnState } from '../machine/load.ts';
import type { Payout } from '../payout.entity.ts';
import { createPayout } from './create-payout.ts';

/**
 * Creates a new payout for one that failed, with the amount computed anew, by the method that the affiliate chooses now: they may
 * have changed it because of the failure. Throws ALREADY_RETRIED on the second call.
 */
export const retryPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, input.id);
    await loadRetry(ctx, locked);
    await perform(ctx, locked, { type: 'retry' });
    const { payout: failed } = locked;
    return createPayout(ctx, {
      affiliateId: failed.affiliateId,
      programId: failed.programId,
      notes: failed.notes ?? undefined,
      belowThreshold: failed.belowThreshold,
      retryOf: failed.id,
    });
  });
