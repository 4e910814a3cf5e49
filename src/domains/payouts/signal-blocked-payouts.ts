import type { EventListener } from '../../platform/context.ts';
import { signalPendingPayouts } from './payout-workflow.ts';

/**
 * A payout without an attempt fails when its affiliate is blocked. Its workflow does that: here the affiliate is locked,
 * and its balance must be locked first.
 */
export const signalBlockedPayouts: EventListener = async (ctx, event) => {
  if (event.type === 'affiliate.blocked') await signalPendingPayouts(ctx, event.data.id);
};
