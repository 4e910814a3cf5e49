import type { FlagSummary } from '../../contracts/flag-review.ts';
import { WORKFLOW_IDS } from '../../contracts/workflows.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue, jsonOf } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWorkSource } from '../../platform/outbox/unfinished-work.ts';
import { SUMMARY, SUMMARY_TABLES } from './flag-state.queries.ts';

/** Flags that still hold conversions: open ones, and confirmed ones whose commissions are being rejected. */
export const UNFINISHED_FLAGS: UnfinishedWorkSource = {
  name: 'flags',
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<{ payload: FlagSummary }>`select ${jsonOf(SUMMARY)} as payload from ${SUMMARY_TABLES}
        where f.hold_ended_at is null and f.id > ${after ?? FIRST_ID}::uuid and f.created_at < ${before.toISOString()}::timestamptz
          and not exists (select 1 from outbox o where o.topic = 'flag.start' and o.subject_id = f.id)
        order by f.id limit ${limit}`,
    );
    return found.map(({ payload }) => ({
      id: payload.flagId,
      workflowIds: [WORKFLOW_IDS.flag(payload.flagId)],
      message: { topic: 'flag.start', subjectId: payload.flagId, suffix: '', payload, reconciled: true },
    }));
  },
  async restart(ctx, { id, message }) {
    const isHolding = await firstRow(ctx.em, sql`select 1 from flag where id = ${id}::uuid and hold_ended_at is null`);
    if (isHolding) await enqueue(ctx, message);
  },
};
