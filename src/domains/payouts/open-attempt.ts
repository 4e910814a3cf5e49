import type { Context } from '../../platform/context.ts';
import type { Payout } from './payout.entity.ts';
import { PayoutAttempt } from './payout-attempt.entity.ts';
import { type AttemptBlock, findAttemptBlock } from './payout-state.queries.ts';
import { markFailed, markProcessing } from './payout-transitions.ts';
import { matchNotifications } from './rail-notifications.ts';

/** Fails a pending payout when its affiliate is blocked. Returns what blocks its first attempt, or null. */
export const applyAttemptBlock = async (ctx: Context, payout: Payout): Promise<AttemptBlock | null> => {
  const block = await findAttemptBlock(ctx, payout);
  if (block === 'affiliate_blocked') await markFailed(ctx, payout, 'affiliate_blocked', { type: 'affiliate_blocked' });
  return block;
};

/**
 * Reserves the first attempt of a pending payout and moves it to processing, unless something blocks it. Returns the
 * block. The caller holds the payout's lock.
 */
export const openAttempt = async (ctx: Context, payout: Payout): Promise<AttemptBlock | null> => {
  const block = await applyAttemptBlock(ctx, payout);
  if (block) return block;
  const attempt = ctx.em.create(PayoutAttempt, {
    id: ctx.ids.next(),
    payoutId: payout.id,
    n: 1,
    rail: payout.rail,
    createdAt: ctx.clock.now(),
  });
  await markProcessing(ctx, payout, { type: 'attempt_reserved', attempt: attempt.n });
  await matchNotifications(ctx, payout.id);
  return null;
};
