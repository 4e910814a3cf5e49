import type { FlagSummary } from '../../contracts/flags.ts';
import { flagReview } from '../../contracts/workflows/flag-review.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { enqueue, enqueueEach, jsonOf } from '../../platform/outbox/outbox.ts';
import { unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { HELD, RETAINED, SNAPSHOT, SUMMARY, SUMMARY_TABLES } from './flag-state.queries.ts';

// Templates: messages are made from rows by the statement that enqueues them.

interface Stored {
  flagId: string;
}

/** Enqueues the starts of the flags' workflows. The flags must be stored. */
export const startFlagWorkflows = async (ctx: Context, flags: readonly Stored[]): Promise<void> => {
  const ids = flags.map(({ flagId }) => flagId);
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'flag.start',
      suffix: '',
      subjectId: sql`f.id`,
      payload: { ...SUMMARY, ...HELD },
      from: sql`${SUMMARY_TABLES} where f.id = any(${ids})`,
    }),
  );
};

/** Tells the flag's workflow how the flag is now. */
export const signalFlagWorkflow = (ctx: Context, flagId: string): Promise<void> =>
  signal(ctx, { from: sql`${SUMMARY_TABLES} where f.id = ${flagId}`, notBefore: sql`now()` });

interface Extended extends Stored {
  previousEvidenceAt: string | null;
}

/** Evidence may come with every sale. All that comes within a minute is one signal. What the flag holds is not added up for it. */
export const signalEvidence = (ctx: Context, flags: readonly Extended[]): Promise<void> => {
  const ids = flags.map(({ flagId }) => flagId);
  const dueAt = flags.map(({ previousEvidenceAt }) => after(new Date(previousEvidenceAt ?? 0), MINUTE_MS).toISOString());
  return signal(ctx, {
    from: sql`${SUMMARY_TABLES} join unnest(${ids}::uuid[], ${dueAt}::timestamptz[]) as evidence (flag_id, due_at)
      on evidence.flag_id = f.id`,
    notBefore: sql`greatest(now(), evidence.due_at)`,
  });
};

const signal = async (ctx: Context, { from, notBefore }: Record<'from' | 'notBefore', RawBuilder<unknown>>): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'flag.changed',
      suffix: '',
      subjectId: sql`f.id`,
      payload: { ...SUMMARY, heldMinor: sql`null`, currency: sql`null`, snapshot: jsonOf(SNAPSHOT) },
      from,
      notBefore,
    }),
  );
};

/**
 * Holds commissions of confirmed flags again that were paid when they would have been rejected, and are unpaid now: the workflow
 * rejects them. Call it after the items of a payout were taken out of it. The caller holds the lock of the balance. Reads what the
 * affiliate's confirmed flags are about, and not the payout, which may have many more commissions.
 */
export const resumeHolds = async (ctx: Context, affiliateId: string): Promise<void> => {
  const resumed = await rows(
    ctx.em,
    sql<{ payload: FlagSummary }>`with resumed as (
        update flag f set hold_ended_at = null, updated_at = ${ctx.clock.now().toISOString()}
        where f.affiliate_id = ${affiliateId} and f.status = 'confirmed' and f.hold_ended_at is not null and exists (
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

/** Flags that still hold conversions: open ones, and confirmed ones whose commissions are being rejected. */
export const UNFINISHED_FLAGS = unfinishedRows(flagReview, {
  name: 'flags',
  from: SUMMARY_TABLES,
  id: sql`f.id`,
  isUnfinished: sql`f.hold_ended_at is null`,
  changedAt: sql`f.created_at`,
  payload: SUMMARY,
});
