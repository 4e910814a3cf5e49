import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';

/** Days that the figures cover, including today. A day takes the row of the one that many days before. */
export const WINDOW_DAYS = 30;
/** Days that one statement adds up: each takes a thirtieth of the time for the whole window. */
const DAYS = 3;

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

export const firstDayOf = (ctx: Context): string => dayOf(after(ctx.clock.now(), -(WINDOW_DAYS - 1) * DAY_MS));

/** Later payments of a customer are no further visits. `offset 0` makes it a look-up. */
const CAME_BY_CLICK = sql`exists (select from sale s
  where s.id = conversion.sale_id and s.evidence ->> 'rule' in ('click','identification') offset 0)`;

/**
 * Adds up sales and commissions of days of a program anew: those that are missing, then today, yesterday and the day that was
 * added up longest ago. So a refund of an older sale is seen after 30 calls at the latest. Returns how many days are still missing.
 */
export const addUpDays = async (ctx: Context, programId: string): Promise<number> => {
  const now = ctx.clock.now();
  const row = await firstRow(
    ctx.em,
    // A template: it inserts what it reads from a series of days.
    sql<{ missing: number }>`with days as materialized (
        select d::date as day, k.computed_at
        from generate_series(${firstDayOf(ctx)}::date, ${dayOf(now)}::date, interval '1 day') as d
        left join marketplace_day k on k.program_id = ${programId} and k.day = d::date),
      chosen as materialized (
        select day from days
        order by computed_at is not null, day < ${dayOf(after(now, -DAY_MS))}, computed_at, day limit ${DAYS}),
      stored as (
        insert into marketplace_day as k (program_id, slot, day, sales, commission, computed_at)
        select ${programId}, (day - '2000-01-01'::date) % ${WINDOW_DAYS}, day, sales, commission, ${now.toISOString()}
        from chosen cross join lateral (
          select count(*) filter (where status <> 'refunded' and method = 'cookie' and ${CAME_BY_CLICK}) as sales, coalesce(sum(commission), 0) as commission from conversion
          where program_id = ${programId} and status <> 'rejected' and created_at >= chosen.day::timestamp at time zone 'UTC'
            and created_at < (chosen.day + 1)::timestamp at time zone 'UTC') as sum
        on conflict (program_id, slot) do update
          set day = excluded.day, sales = excluded.sales, commission = excluded.commission, computed_at = excluded.computed_at)
      select count(*) as missing from days where computed_at is null and day not in (select day from chosen)`,
  );
  invariant(row, 'an aggregate returns a row');
  return row.missing;
};
