import type { EventListener } from '../../platform/context.ts';
import { Payout } from './payout.entity.ts';
import { signalPayoutWorkflow } from './payout-workflow.ts';

/**
 * A payout without an attempt fails when its affiliate is blocked. Its workflow does that: here the affiliate is locked,
 * and its balance must be locked first.
 */
export const signalBlockedPayouts: EventListener = async (ctx, event) => {
  if (event.type !== 'affiliate.blocked') return;
  const waiting = await ctx.em.find(Payout, { affiliateId: event.data.id, status: 'pending' });
  for (const payout of waiting) await signalPayoutWorkflow(ctx, payout);
};
