import { type Context, inTransaction } from '../../../platform/context.ts';
import { perform } from '../machine/apply.ts';
import { type LockedPayout, loadHold, lockOwnState } from '../machine/load.ts';
import type { Payout } from '../payout.entity.ts';

/**
 * Manual rail: a person starts to pay. Throws ILLEGAL_TRANSITION unless the payout is pending, and APPROVAL_REQUIRED before a needed
 * approval. The payout of a blocked affiliate, or with a held commission, is returned as failed.
 */
export const processPayout = (ctx: Context, input: { id: string }): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, input.id);
    await startPayment(ctx, locked);
    return locked.payout;
  });

/** As `processPayout`, of one that the caller has locked. */
export const startPayment = async (ctx: Context, locked: LockedPayout): Promise<void> => {
  if (locked.state.status === 'pending') await loadHold(ctx, locked);
  await perform(ctx, locked, { type: 'process' });
};
