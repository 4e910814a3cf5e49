import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { perform } from '../machine/apply.ts';
import { lockState } from '../machine/load.ts';
import { getPayoutSnapshot } from '../payout-state.queries.ts';
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
    const locked = await lockState(ctx, payoutId);
    const recorded = await firstRow(ctx.em, findReminder({ payoutId, reminder, types: ['approval_reminder_sent'] }));
    const input = { type: 'approval_reminder', isLast: last, isRecorded: recorded !== null } as const;
    await perform(ctx, locked, input, last ? {} : { reminder });
    return getPayoutSnapshot(ctx, payoutId);
  });
