import { DELIVERY_DAYS } from '../../contracts/limits.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';

/** Cancels up to `limit` deliveries that were parked until their event expired; returns how many. Locked ones are skipped. */
export const cancelExpiredDeliveries = (ctx: Context, { limit }: { limit: number }): Promise<number> => {
  const now = ctx.clock.now();
  const oldest = after(now, -DELIVERY_DAYS * DAY_MS).toISOString();
  return execute(
    ctx.em,
    sql`update webhook_delivery d set status = 'cancelled', next_attempt_at = null, updated_at = ${now.toISOString()}::timestamptz
      from (select id, event_id from webhook_delivery
        where status = 'parked' and event_id < first_uuid_at(${oldest}::timestamptz)
        order by event_id limit ${limit} for update skip locked) expired
      where d.event_id = expired.event_id and d.id = expired.id and d.status = 'parked'`,
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
