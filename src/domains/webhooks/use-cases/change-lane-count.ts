import type { Context } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';

/**
 * From the commit on, no lane of the former number starts an attempt: each takes over what it serves now. What is in flight is
 * recorded by those who sent it. Rows are locked in order, and nothing else is. The same number again changes nothing.
 */
export const changeLaneCount = async (ctx: Context, { lanes }: { lanes: number }): Promise<void> => {
  const changed = db.selectFrom('webhook_lane').select('lane').where('lanes', '!=', lanes).orderBy('lane').forUpdate();
  await execute(
    ctx.em,
    db
      .updateTable('webhook_lane as l')
      .from(changed.as('changed'))
      .set(({ eb }) => ({ epoch: eb('l.epoch', '+', 1), lanes }))
      .whereRef('l.lane', '=', 'changed.lane'),
  );
};
