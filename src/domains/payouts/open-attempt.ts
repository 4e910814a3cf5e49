import type { Context } from '../../platform/context.ts';
import type { Payout } from './payout.entity.ts';
import { PayoutAttempt } from './payout-attempt.entity.ts';
import { markProcessing } from './payout-transitions.ts';

/** Reserves the first attempt of a pending payout and moves it to processing. The caller holds the payout's lock. */
export const openAttempt = async (ctx: Context, payout: Payout): Promise<void> => {
  const attempt = ctx.em.create(PayoutAttempt, {
    id: ctx.ids.next(),
    payoutId: payout.id,
    n: 1,
    rail: payout.rail,
    createdAt: ctx.clock.now(),
  });
  await markProcessing(ctx, payout, { type: 'attempt_reserved', attempt: attempt.n });
};
