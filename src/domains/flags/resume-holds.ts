import type { FlagSummary } from '../../contracts/flag-review.ts';
import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { enqueue, jsonOf } from '../../platform/outbox/outbox.ts';
import { RETAINED, SUMMARY, SUMMARY_TABLES } from './flag-state.queries.ts';

/**
 * Holds commissions of confirmed flags again that were paid when they would have been rejected, and are unpaid now: the workflow
 * rejects them. Call it after the items of the payout were released. The caller holds the lock of the balance.
 */
export const resumeHolds = async (ctx: Context, payoutId: string): Promise<void> => {
  const resumed = await rows(
    ctx.em,
    sql<{ payload: FlagSummary }>`with resumed as (
        update flag set hold_ended_at = null, updated_at = ${ctx.clock.now().toISOString()}::timestamptz
        where status = 'confirmed' and hold_ended_at is not null and id in (
          select l.flag_id from payout_item i join conversion c on c.id = i.subject_id
            join flag_conversion l on l.conversion_id = c.id
          where i.payout_id = ${payoutId}::uuid and i.kind = 'commission' and c.included_in is null and ${RETAINED})
        returning id)
      select ${jsonOf(SUMMARY)} as payload from ${SUMMARY_TABLES} where f.id in (select id from resumed)`,
  );
  for (const { payload } of resumed) {
    // The workflow that ended with the hold is closed: the row may start one under its id again.
    await enqueue(ctx, { topic: 'flag.start', subjectId: payload.flagId, suffix: '', payload, reconciled: true });
  }
};
