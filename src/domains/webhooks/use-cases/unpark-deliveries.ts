import { DELIVERY_PRIORITIES, runSuffix } from '../../../contracts/webhooks.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { useIndexLookups } from '../../../platform/database/index-lookups.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';

/**
 * Makes up to `limit` parked deliveries of an enabled endpoint pending again, or cancels those of a deleted one. They keep their
 * attempt counts, and their lane sends them after first attempts, those of replays last. Returns how many were found; the endpoint
 * is done when that is less than `limit`. The lock blocks a concurrent disabling, which would otherwise miss what is resumed here.
 * A template: the count is of what was found, whatever is still parked when it is updated.
 */
export const unparkDeliveries = (ctx: Context, input: { endpointId: string; limit: number }): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const { endpointId, limit } = input;
    await useIndexLookups(ctx.em);
    const endpoint = await firstRow(
      ctx.em,
      db
        .selectFrom('webhook_endpoint')
        .select(['deletedAt', 'enableCount'])
        .where('id', '=', endpointId)
        .where('unparking', '=', sql.lit(true))
        .forUpdate(),
    );
    if (!endpoint) return 0;
    const at = ctx.clock.now().toISOString();
    const change =
      endpoint.deletedAt !== null
        ? sql`status = 'cancelled', next_attempt_at = null`
        : sql`status = 'pending', in_lane = true, run_suffix = ${runSuffix('enable', endpoint.enableCount)}, next_attempt_at = ${at},
          priority = case trigger when 'replay' then ${DELIVERY_PRIORITIES.replayed}::int else ${DELIVERY_PRIORITIES.resumed}::int end`;
    const parked = await firstRow(
      ctx.em,
      sql<{ count: number }>`with parked as materialized (
          select id, event_id from webhook_delivery where endpoint_id = ${endpointId} and status = 'parked'
          order by created_at, id limit ${limit}
        ), unparked as (
          update webhook_delivery d set ${change}, updated_at = ${at}
          from parked where d.id = parked.id and d.event_id = parked.event_id and d.status = 'parked'
        )
        select count(*)::int as count from parked`,
    );
    const count = parked?.count ?? 0;
    if (count < limit) {
      await execute(ctx.em, db.updateTable('webhook_endpoint').set({ unparking: false }).where('id', '=', endpointId));
    }
    return count;
  });
