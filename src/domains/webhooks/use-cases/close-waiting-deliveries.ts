import { type Context, inTransaction } from '../../../platform/context.ts';
import { useIndexLookups } from '../../../platform/database/index-lookups.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
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
      db.selectFrom('webhook_endpoint').select(['status', 'deletedAt']).where('id', '=', endpointId).forShare(),
    );
    const isDeleted = !endpoint || endpoint.deletedAt !== null;
    if (!isDeleted && endpoint.status === 'active') return 0;
    // Literals: the predicate of the index of those that wait.
    const waiting = db
      .selectFrom('webhook_delivery')
      .select(['id', 'eventId'])
      .where('slot', '=', slotOf(endpointId))
      .where('endpointId', '=', endpointId)
      .where('status', '=', sql.lit('pending'))
      .where('inLane', '=', sql.lit(true))
      .orderBy('priority')
      .orderBy('id')
      .limit(limit);
    return execute(
      ctx.em,
      db
        .updateTable('webhook_delivery as d')
        .from(waiting.as('waiting'))
        .set({ status: isDeleted ? 'cancelled' : 'parked', nextAttemptAt: null, updatedAt: ctx.clock.now() })
        .whereRef('d.id', '=', 'waiting.id')
        .whereRef('d.eventId', '=', 'waiting.eventId')
        .where('d.status', '=', sql.lit('pending'))
        .where('d.inLane', '=', sql.lit(true)),
    );
  });
