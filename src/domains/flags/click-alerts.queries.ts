import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { columnsOf } from '../../platform/database/table.ts';
import { db, type Tables } from '../tables.ts';
import { RETAINED } from './flag-state.queries.ts';
import { isOfShard } from './screening.queries.ts';

/** The busiest windows of an affiliate whose clicks were above a limit. */
export interface ClickAlert {
  affiliateId: string;
  programId: string;
  merchantId: string;
  clicksPerMinute: number;
  clicksPerHour: number;
}

/** Alerts of a shard that wait to be screened. Most shards have none most of the time. */
export const unhandledAlerts = (shard: number) =>
  db.selectFrom('click_alert').select(sql.lit(1).as('one')).where(isOfShard(shard)).where('handledAt', 'is', null);

/**
 * Marks alerts of one affiliate of a shard as handled and returns their peak; null when there are none. The caller must hold the
 * shard's lock. A template, as its parts change rows.
 */
export const handleClickAlert = (ctx: Context, shard: number, limit: number): Promise<ClickAlert | null> => {
  const unhandled = sql`from click_alert where ${isOfShard(shard)} and handled_at is null`;
  return firstRow(
    ctx.em,
    sql<ClickAlert>`with taken as (
        update click_alert set handled_at = ${ctx.clock.now().toISOString()}
        where (affiliate_id, minute) in (select affiliate_id, minute ${unhandled}
          and affiliate_id = (select affiliate_id ${unhandled} order by affiliate_id limit 1)
          order by minute limit ${limit} for update skip locked)
        returning affiliate_id, clicks_per_minute, clicks_per_hour)
      select ${columnsOf<ClickAlert>(['affiliateId'], 't')}, ${columnsOf<Tables['affiliate']>(['programId', 'merchantId'], 'a')},
        max(t.clicks_per_minute) as "clicksPerMinute", max(t.clicks_per_hour) as "clicksPerHour"
      from taken t join affiliate a on a.id = t.affiliate_id group by 1, 2, 3`,
  );
};

/** Bounds the links that one finding makes. */
const MAX_RECENT = 10_000;

/** Conversions of the last 24 hours that are not paid, nor about to be, the newest first. */
export const listRecentUnpaid = async (ctx: Context, affiliateId: string): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('conversion as c')
      .select('c.id')
      .where('c.affiliateId', '=', affiliateId)
      .where('c.createdAt', '>', after(ctx.clock.now(), -DAY_MS).toISOString())
      .where(RETAINED)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('payout as p')
              .select('p.id')
              .whereRef('p.id', '=', 'c.includedIn')
              .where('p.status', 'in', ['processing', 'completed']),
          ),
        ),
      )
      .orderBy('c.createdAt', 'desc')
      .orderBy('c.id', 'desc')
      .limit(MAX_RECENT),
  );
  return found.map(({ id }) => id);
};
