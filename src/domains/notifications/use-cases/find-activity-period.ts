import type { MailPeriod } from '../../../contracts/workflows/digests.ts';
import { after, HOUR_MS, MINUTE_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql, toIso } from '../../../platform/database/sql.ts';

/** After the end of an hour: what was written in it is committed by then. */
const SETTLED_MS = 5 * MINUTE_MS;

/**
 * Whole hours that are over and that no mail about activity covers: one, or all since the last run when none ran for a while.
 * A period that has mails keeps its end until it is closed. The first call begins with the current hour. Null: there is none yet.
 */
export const findActivityPeriod = async (ctx: Context): Promise<MailPeriod | null> => {
  const now = ctx.clock.now();
  const startOfHour = new Date(Math.floor(after(now, -SETTLED_MS).getTime() / HOUR_MS) * HOUR_MS);
  const to = startOfHour.toISOString();
  const done = await firstRow(
    ctx.em,
    sql<{ from: string; end: string | null }>`with created as (
        insert into mail_progress (name, done_until) values ('activity', ${to}::timestamptz) on conflict (name) do nothing
        returning done_until, period_end)
      select done_until as "from", period_end as "end" from created
      union all select done_until, period_end from mail_progress where name = 'activity' limit 1`,
  );
  const from = done === null ? to : toIso(done.from);
  const end = done?.end ? toIso(done.end) : to;
  return from < end ? { from, to: end } : null;
};
