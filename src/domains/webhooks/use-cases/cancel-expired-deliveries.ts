import { DELIVERY_DAYS } from '../../../contracts/limits.ts';
import { DAY_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';

/** Cancels up to `limit` deliveries that were parked until their event expired; returns how many. Locked ones are skipped. */
export const cancelExpiredDeliveries = (ctx: Context, { limit }: { limit: number }): Promise<number> => {
  const now = ctx.clock.now();
  const oldest = new Date(now.getTime() - DELIVERY_DAYS * DAY_MS).toISOString();
  return execute(
    ctx.em,
    sql`update webhook_delivery d set status = 'cancelled', next_attempt_at = null, updated_at = ${now.toISOString()}::timestamptz
      from (select id, event_id from webhook_delivery
        where status = 'parked' and event_id < first_uuid_at(${oldest}::timestamptz)
        order by event_id limit ${limit} for update skip locked) expired
      where d.event_id = expired.event_id and d.id = expired.id and d.status = 'parked'`,
  );
};
