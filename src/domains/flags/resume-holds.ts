import type { FlagSummary } from '../../contracts/flags.ts';
import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { enqueue, jsonOf } from '../../platform/outbox/outbox.ts';
import { RETAINED, SUMMARY, SUMMARY_TABLES } from './flag-state.queries.ts';

/**
 * Holds commissions of confirmed flags again that were paid when they would have been rejected, and are unpaid now: the workflow
 * rejects them. Call it after the items of a payout were released. The caller holds the lock of the balance. Reads what the
 * affiliate's confirmed flags are about, and not the payout, which may have many more commissions.
 */
export const resumeHolds = async (ctx: Context, affiliateId: string): Promise<void> => {
  const resumed = await rows(
    ctx.em,
    sql<{ payload: FlagSummary }>`with resumed as (
        update flag f set hold_ended_at = null, updated_at = ${ctx.clock.now().toISOString()}::timestamptz
        where f.affiliate_id = ${affiliateId}::uuid and f.status = 'confirmed' and f.hold_ended_at is not null and exists (
          select from flag_conversion l join conversion c on c.id = l.conversion_id
          where l.flag_id = f.id and c.included_in is null and ${RETAINED})
        returning f.id)
      select ${jsonOf(SUMMARY)} as payload from ${SUMMARY_TABLES} where f.id in (select id from resumed)`,
  );
  for (const { payload } of resumed) {
    // The workflow that ended with the hold is closed: the row may start one under its id again.
    await enqueue(ctx, { topic: 'flag.start', subjectId: payload.flagId, suffix: '', payload, reconciled: true });
  }
};
