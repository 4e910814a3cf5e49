import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';

/** The next mails about activity begin at this time. An earlier time than that of the last call changes nothing. */
export const closeActivityPeriod = async (ctx: Context, { to }: { to: string }): Promise<void> => {
  await execute(
    ctx.em,
    sql`update mail_progress set done_until = ${to}::timestamptz, period_end = null
      where name = 'activity' and done_until < ${to}::timestamptz`,
  );
};
