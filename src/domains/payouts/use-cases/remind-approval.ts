import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { askForApproval } from '../approval/approval.steps.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { markFailed } from '../payout-transitions.ts';
import { findReminder } from '../timeline.steps.ts';

/**
 * Reminds of a payout that still waits for approval; the last time it fails instead. The second call for the same reminder changes
 * nothing, nor does one after the approval.
 */
export const remindApproval = (
  ctx: Context,
  { payoutId, reminder, last }: { payoutId: string; reminder: number; last: boolean },
): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    const recorded = await firstRow(ctx.em, findReminder({ payoutId, reminder, types: ['approval_reminder_sent'] }));
    if (payout.isAwaitingApproval()) {
      if (last) await markFailed(ctx, payout, 'approval_expired', { type: 'approval_expired' });
      else if (!recorded) await askForApproval(ctx, payout, reminder);
    }
    return getPayoutSnapshot(ctx, payoutId);
  });
