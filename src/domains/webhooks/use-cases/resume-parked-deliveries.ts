import { DELIVERY_PRIORITIES } from '../../../contracts/webhooks.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';

/**
 * Makes up to `limit` parked deliveries of an enabled endpoint pending again; its lane sends them after first attempts.
 * They keep their attempt counts. Returns how many; the endpoint is done when that is less than `limit`. The lock blocks
 * a concurrent disabling, which would otherwise miss what is resumed here.
 */
export const resumeParkedDeliveries = (ctx: Context, input: { endpointId: string; limit: number }): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const { endpointId, limit } = input;
    const resuming = await firstRow(
      ctx.em,
      sql`select 1 from webhook_endpoint where id = ${endpointId}::uuid and resuming for update`,
    );
    if (!resuming) return 0;
    const now = ctx.clock.now().toISOString();
    const resumed = await execute(
      ctx.em,
      sql`update webhook_delivery d set status = 'pending', in_lane = true, priority = ${DELIVERY_PRIORITIES.resumed},
          next_attempt_at = ${now}::timestamptz, updated_at = ${now}::timestamptz
        from (select id, event_id from webhook_delivery where endpoint_id = ${endpointId}::uuid and status = 'parked'
          order by created_at, id limit ${limit}) parked
        where d.id = parked.id and d.event_id = parked.event_id and d.status = 'parked'`,
    );
    if (resumed < limit) await execute(ctx.em, sql`update webhook_endpoint set resuming = false where id = ${endpointId}::uuid`);
    return resumed;
  });
