import { resendSuffix } from '../../contracts/webhooks.ts';
import { WORKFLOW_IDS } from '../../contracts/workflows.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWorkSource } from '../../platform/outbox/unfinished-rows.ts';

interface OpenResend {
  id: string;
  merchantId: string;
  endpointId: string;
  count: number;
}

/** Resends whose attempt has no outcome yet. A restart is another run under the same id. */
export const UNFINISHED_RESENDS: UnfinishedWorkSource = {
  name: 'webhook resends',
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<OpenResend>`select d.id, d.merchant_id as "merchantId", d.endpoint_id as "endpointId", d.resend_count as count
        from webhook_delivery d
        where d.resend_requested_at < ${before.toISOString()}::timestamptz and d.id > ${after ?? FIRST_ID}::uuid
          and not exists (select 1 from outbox o where o.topic = 'webhook.deliver' and o.subject_id = d.id
            and o.suffix = '/m' || d.resend_count)
        order by d.id limit ${limit}`,
    );
    return found.map(({ id, merchantId, endpointId, count }) => ({
      id,
      workflowIds: [WORKFLOW_IDS.delivery(id, resendSuffix(count))],
      message: {
        topic: 'webhook.deliver',
        subjectId: id,
        suffix: resendSuffix(count),
        payload: { merchantId, endpointId },
        reconciled: true,
      },
    }));
  },
  async restart(ctx, { id, message }) {
    const open = await firstRow(
      ctx.em,
      sql`select 1 from webhook_delivery where id = ${id}::uuid and resend_requested_at is not null
        and ${message.suffix} = '/m' || resend_count for update`,
    );
    if (open) await enqueue(ctx, message);
  },
};
