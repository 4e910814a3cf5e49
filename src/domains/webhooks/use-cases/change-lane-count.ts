import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';

/**
 * From the commit on, no lane of the former number starts an attempt: each takes over what it serves now. What is in flight is
 * recorded by those who sent it. Rows are locked in order, and nothing else is. The same number again changes nothing.
 */
export const changeLaneCount = async (ctx: Context, { lanes }: { lanes: number }): Promise<void> => {
  await execute(
    ctx.em,
    sql`update webhook_lane set epoch = epoch + 1, lanes = ${lanes}
      from (select lane from webhook_lane where lanes <> ${lanes} order by lane for update) changed
      where webhook_lane.lane = changed.lane`,
  );
};
