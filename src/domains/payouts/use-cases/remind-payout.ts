import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { perform } from '../machine/apply.ts';
import { lockState } from '../machine/load.ts';
import { getPayoutSnapshot } from '../payout-state.queries.ts';
import { findReminder } from '../timeline.steps.ts';

/**
 * Records that a payout on the manual rail is still unpaid. The last reminder requests a manual review. The second call
 * for the same reminder changes nothing.
 */
export const remindPayout = (
  ctx: Context,
  { payoutId, reminder, last }: { payoutId: string; reminder: number; last: boolean },
): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockState(ctx, payoutId);
    const recorded = await firstRow(
      ctx.em,
      findReminder({ payoutId, reminder, types: ['reminder_sent', 'manual_review_requested'] }),
    );
    await perform(ctx, locked, { type: 'reminder', isLast: last, isRecorded: recorded !== null }, { reminder });
    return getPayoutSnapshot(ctx, payoutId);
  });
