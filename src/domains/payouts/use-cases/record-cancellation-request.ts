import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

/**
 * Notes that the cancellation of the payout's workflow was requested in Temporal, which has no effect: only the API cancels
 * payouts. The second call of the same run changes nothing.
 */
export const recordCancellationRequest = (ctx: Context, { payoutId }: { payoutId: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const run = ctx.actor.kind === 'system' ? ctx.actor.run : undefined;
    // Locked, so that two executions of the activity cannot both find nothing.
    await firstRow(ctx.em, db.selectFrom('payout').select('id').where('id', '=', payoutId).forUpdate());
    const recorded = await firstRow(
      ctx.em,
      db
        .selectFrom('payout_timeline')
        .select('id')
        .where('payoutId', '=', payoutId)
        .where('type', '=', 'cancellation_ignored')
        .where('runId', 'is not distinct from', run?.runId ?? null)
        .limit(1),
    );
    if (!recorded) await addTimelineEntry(ctx, { id: payoutId }, { type: 'cancellation_ignored' });
  });
