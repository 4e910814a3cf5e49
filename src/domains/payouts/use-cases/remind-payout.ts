import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import type { Payout } from '../payout.entity.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { requestReview } from '../payout-transitions.ts';
import { addTimelineEntry, findReminder } from '../timeline.steps.ts';

/**
 * Records that a payout on the manual rail is still unpaid. The last reminder requests a manual review. The second call
 * for the same reminder changes nothing.
 */
export const remindPayout = (
  ctx: Context,
  { payoutId, reminder, last }: { payoutId: string; reminder: number; last: boolean },
): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    const recorded = await firstRow(
      ctx.em,
      findReminder({ payoutId, reminder, types: ['reminder_sent', 'manual_review_requested'] }),
    );
    if (!payout.isFinal() && !recorded) {
      if (last) await requestReview(ctx, payout, 'reminders_exhausted', { type: 'manual_review_requested', reminder });
      else await remind(ctx, payout, reminder);
    }
    return getPayoutSnapshot(ctx, payoutId);
  });

const remind = async (ctx: Context, payout: Payout, reminder: number): Promise<void> => {
  await addTimelineEntry(ctx, payout, { type: 'reminder_sent', reminder });
  const { id: payoutId, merchantId } = payout;
  await emitInternal(ctx, { type: 'payout.reminder', payoutId, merchantId, n: reminder });
};
