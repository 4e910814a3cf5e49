import { WORKFLOW_IDS } from '../../contracts/workflows.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWorkSource } from '../../platform/outbox/unfinished-work.ts';

/** Only the newest runs can be open: each earlier one ended before the next was enqueued. */
const NEWEST_RUNS = 3;

interface OpenDelivery {
  id: string;
  merchantId: string;
  endpointId: string;
  restarts: number;
  enables: number;
  replays: number;
}

/** The suffixes that an open run of the delivery can have. */
const suffixesOf = ({ restarts, enables, replays }: OpenDelivery): string[] => [
  '',
  ...lastOf(enables).map((n) => `/e${n}`),
  ...lastOf(replays).map((n) => `/p${n}`),
  ...lastOf(restarts).map((n) => `/r${n}`),
];

const lastOf = (count: number): number[] => Array.from({ length: Math.min(count, NEWEST_RUNS) }, (_, back) => count - back);

/** Deliveries that a workflow of their own still has to send: their first attempt failed. Each restart is a run of its own: `/r1`, `/r2`, … */
export const UNFINISHED_DELIVERIES: UnfinishedWorkSource = {
  name: 'webhook deliveries',
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<OpenDelivery>`select d.id, d.merchant_id as "merchantId", d.endpoint_id as "endpointId",
          d.restart_count as restarts, d.replay_count as replays, w.enable_count as enables
        from webhook_delivery d join webhook_endpoint w on w.id = d.endpoint_id
        where d.status = 'pending' and not d.in_lane and d.id > ${after ?? FIRST_ID}::uuid and d.updated_at < ${before.toISOString()}::timestamptz
          and not exists (select 1 from outbox o where o.topic = 'webhook.deliver' and o.subject_id = d.id
            and o.suffix not like '/m%')
        order by d.id limit ${limit}`,
    );
    return found.map((delivery) => ({
      id: delivery.id,
      workflowIds: suffixesOf(delivery).map((suffix) => WORKFLOW_IDS.delivery(delivery.id, suffix)),
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
      sql`update webhook_delivery set restart_count = restart_count + 1
        where id = ${id}::uuid and status = 'pending' and not in_lane and ${message.suffix} = '/r' || (restart_count + 1) returning 1`,
    );
    if (counted) await enqueue(ctx, message);
  },
};
