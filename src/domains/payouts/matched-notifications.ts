import type { Context } from '../../platform/context.ts';
import { applyRailStatus } from './apply-rail-status.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { markStale, matchNotifications } from './rail-notifications.ts';

/** Applies notifications that arrived before the attempt existed here. The caller holds the payout's lock. */
export const applyMatchedNotifications = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  for (const notification of await matchNotifications(ctx, attempt)) {
    const isApplied = await applyRailStatus(ctx, payout, attempt, notification);
    await ctx.em.flush();
    if (!isApplied) await markStale(ctx, notification.id);
  }
};
