import { DELIVERY_DAYS } from '../../../contracts/limits.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';

/** Cancels up to `limit` deliveries that were parked until their event expired; returns how many. Locked ones are skipped. */
export const cancelExpiredDeliveries = (ctx: Context, { limit }: { limit: number }): Promise<number> => {
  const now = ctx.clock.now();
  const oldest = after(now, -DELIVERY_DAYS * DAY_MS).toISOString();
  const expired = db
    .selectFrom('webhook_delivery')
    .select(['id', 'eventId'])
    .where('status', '=', sql.lit('parked'))
    .where('eventId', '<', sql<string>`first_uuid_at(${oldest})`)
    .orderBy('eventId')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return execute(
    ctx.em,
    db
      .updateTable('webhook_delivery as d')
      .from(expired.as('expired'))
      .set({ status: 'cancelled', nextAttemptAt: null, updatedAt: now })
      .whereRef('d.eventId', '=', 'expired.eventId')
      .whereRef('d.id', '=', 'expired.id')
      .where('d.status', '=', sql.lit('parked')),
  );
};

/** Deletes up to `limit` expired rows of each table that no partition of a month holds; returns how many in total. */
export const deleteExpiredRows = async (ctx: Context, { limit }: { limit: number }): Promise<number> =>
  (await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_webhook_rows(${limit}) as deleted`))?.deleted ?? 0;

export interface DropResult {
  /** Name of the partition. Null when nothing was dropped. */
  dropped: string | null;
  /** True when one could be dropped, but its table was in use: repeat the call. */
  busy: boolean;
}

/** Drops at most one partition: the oldest month of attempts, deliveries, events or clicks that has expired and holds nothing open. */
export const dropExpiredPartition = async (ctx: Context): Promise<DropResult> =>
  (await firstRow(ctx.em, sql<DropResult>`select dropped, busy from drop_expired_partition()`)) ?? { dropped: null, busy: false };
