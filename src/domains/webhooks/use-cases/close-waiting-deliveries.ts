import type { EndpointStatus } from '../../../contracts/webhooks.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { useIndexLookups } from '../../../platform/database/index-lookups.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { slotOf } from '../lanes/slots.ts';

/**
 * Parks up to `limit` waiting deliveries of a disabled endpoint, or cancels those of a deleted one. Returns how many; 0
 * when the endpoint is active. The lock blocks a concurrent enabling, which would otherwise miss what is parked here.
 */
export const closeWaitingDeliveries = (ctx: Context, input: { endpointId: string; limit: number }): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const { endpointId, limit } = input;
    await useIndexLookups(ctx.em);
    const endpoint = await firstRow(
      ctx.em,
      sql<{ status: EndpointStatus; deleted: boolean }>`select status, deleted_at is not null as deleted
        from webhook_endpoint where id = ${endpointId}::uuid for share`,
    );
    if (endpoint && !endpoint.deleted && endpoint.status === 'active') return 0;
    const status = endpoint && !endpoint.deleted ? 'parked' : 'cancelled';
    return execute(
      ctx.em,
      sql`update webhook_delivery d set status = ${status}, next_attempt_at = null,
          updated_at = ${ctx.clock.now().toISOString()}::timestamptz
        from (select id, event_id from webhook_delivery where slot = ${slotOf(endpointId)} and endpoint_id = ${endpointId}::uuid
          and status = 'pending' and in_lane order by priority, id limit ${limit}) waiting
        where d.id = waiting.id and d.event_id = waiting.event_id and d.status = 'pending' and d.in_lane`,
    );
  });
