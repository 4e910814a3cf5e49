import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.ts';

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
      db.selectFrom('payout_timeline').select('id').where('payoutId', '=', payoutId).where('reminder', '=', reminder).limit(1),
    );
    if (!payout.isFinal() && !recorded) {
      if (last) payout.startReview('reminders_exhausted', ctx.clock.now());
      await addTimelineEntry(ctx, payout, {
        ...(last ? { type: 'manual_review_requested', reason: 'reminders_exhausted' } : { type: 'reminder_sent' }),
        reminder,
      });
    }
    return getPayoutSnapshot(ctx, payoutId);
  });
