import type { Context } from '../../platform/context.ts';
import type { Payout } from './payout.entity.ts';
import { PayoutAttempt } from './payout-attempt.entity.ts';
import { type AttemptBlock, findAttemptBlock } from './payout-state.queries.ts';
import { markFailed, markProcessing } from './payout-transitions.ts';
import { matchNotifications } from './rail-notifications.ts';

/**
 * Reserves the first attempt of a pending payout and moves it to processing, unless something blocks it: the payout of a
 * blocked affiliate fails, others wait. Returns the block. The caller holds the payout's lock.
 */
export const openAttempt = async (ctx: Context, payout: Payout): Promise<AttemptBlock | null> => {
  const block = await findAttemptBlock(ctx, payout);
  if (block === 'affiliate_blocked') await markFailed(ctx, payout, 'affiliate_blocked', { type: 'affiliate_blocked' });
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
