import type { OutboxPayloads } from '../../contracts/outbox.ts';
import { WORKFLOW_IDS } from '../../contracts/workflows.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue, jsonOf } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWorkSource } from '../../platform/outbox/unfinished-work.ts';
import { SUMMARY, SUMMARY_TABLES } from './application-workflow.ts';

/** Applications that wait for a decision. */
export const UNFINISHED_APPLICATIONS: UnfinishedWorkSource = {
  name: 'applications',
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<{ payload: OutboxPayloads['application.start'] }>`select ${jsonOf(SUMMARY)} as payload from ${SUMMARY_TABLES}
        where a.status = 'pending' and a.id > ${after ?? FIRST_ID}::uuid and a.updated_at < ${before.toISOString()}::timestamptz
          and not exists (select 1 from outbox o where o.topic = 'application.start' and o.subject_id = a.id)
        order by a.id limit ${limit}`,
    );
    return found.map(({ payload }) => ({
      id: payload.applicationId,
      workflowIds: [WORKFLOW_IDS.application(payload.applicationId)],
      message: { topic: 'application.start', subjectId: payload.applicationId, suffix: '', payload, reconciled: true },
    }));
  },
  async restart(ctx, { id, message }) {
    const isWaiting = await firstRow(ctx.em, sql`select 1 from application where id = ${id}::uuid and status = 'pending'`);
    if (isWaiting) await enqueue(ctx, message);
  },
};
