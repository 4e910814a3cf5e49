import { WORKFLOW_IDS } from '../../contracts/workflows.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWorkSource } from '../../platform/outbox/unfinished-rows.ts';

interface OpenDelivery {
  id: string;
  merchantId: string;
  endpointId: string;
  runSuffix: string;
  restarts: number;
}

/**
 * Deliveries that a workflow of their own still has to send: their first attempt failed. Each restart is a run of its own, which
 * replaces the former one.
 */
export const UNFINISHED_DELIVERIES: UnfinishedWorkSource = {
  name: 'webhook deliveries',
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<OpenDelivery>`select d.id, d.merchant_id as "merchantId", d.endpoint_id as "endpointId",
          d.run_suffix as "runSuffix", d.restart_count as restarts
        from webhook_delivery d
        where d.status = 'pending' and not d.in_lane and d.id > ${after ?? FIRST_ID}::uuid and d.updated_at < ${before.toISOString()}::timestamptz
          and not exists (select 1 from outbox o where o.topic = 'webhook.deliver' and o.subject_id = d.id
            and o.suffix not like '/m%')
        order by d.id limit ${limit}`,
    );
    return found.map((delivery) => ({
      id: delivery.id,
      workflowIds: [WORKFLOW_IDS.delivery(delivery.id, delivery.runSuffix)],
      message: {
        topic: 'webhook.deliver',
        subjectId: delivery.id,
        suffix: `/r${delivery.restarts + 1}`,
        payload: { merchantId: delivery.merchantId, endpointId: delivery.endpointId },
        reconciled: true,
      },
    }));
  },
  async restart(ctx, { id, message }) {
    const counted = await firstRow(
      ctx.em,
      sql`update webhook_delivery set restart_count = restart_count + 1, run_suffix = ${message.suffix}
        where id = ${id}::uuid and status = 'pending' and not in_lane and ${message.suffix} = '/r' || (restart_count + 1) returning 1`,
    );
    if (counted) await enqueue(ctx, message);
  },
};
