import type { MailPeriod } from '../../../contracts/mail.ts';
import { after, HOUR_MS, MINUTE_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql, toIso } from '../../../platform/database/sql.ts';

/** After the end of an hour: what was written in it is committed by then. */
const SETTLED_MS = 5 * MINUTE_MS;

/**
 * Whole hours that are over and that no mail about activity covers: one, or all since the last run when none ran for a while.
 * The first call begins with the current hour. Null: there is none yet.
 */
export const findActivityPeriod = async (ctx: Context): Promise<MailPeriod | null> => {
  const now = ctx.clock.now();
  const startOfHour = new Date(Math.floor(after(now, -SETTLED_MS).getTime() / HOUR_MS) * HOUR_MS);
  const to = startOfHour.toISOString();
  const done = await firstRow(
    ctx.em,
    sql<{ until: string }>`with created as (
        insert into mail_progress (name, done_until) values ('activity', ${to}::timestamptz) on conflict (name) do nothing
        returning done_until)
      select done_until as until from created union all select done_until from mail_progress where name = 'activity' limit 1`,
  );
  const from = done === null ? to : toIso(done.until);
  return from < to ? { from, to } : null;
};
