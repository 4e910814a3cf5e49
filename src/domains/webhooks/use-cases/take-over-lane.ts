import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';

/**
 * Makes the caller the owner of the lane and returns its epoch: no attempt of a lower epoch can start any more. Attempts
 * that were started and not finished have an unknown outcome; their deliveries are sent again.
 */
export const takeOverLane = (ctx: Context, { lane }: { lane: number }): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    // A statement of its own: it waits for attempts that are being started, and the next one has to see them.
    const owned = await firstRow(
      ctx.em,
      sql<{ epoch: number }>`update webhook_lane set epoch = epoch + 1 where lane = ${lane} returning epoch::int as epoch`,
    );
    invariant(owned, 'a lane has a row');
    // Deliveries before their attempts, in the order of ids: as everybody else locks them.
    await execute(
      ctx.em,
      sql`select 1 from webhook_delivery where id = any(array(
          select delivery_id from webhook_attempt where lane = ${lane} and outcome is null))
        order by id for update`,
    );
    await execute(
      ctx.em,
      sql`with lost as (
          update webhook_attempt set outcome = 'unknown', error_code = 'worker_lost'
          where lane = ${lane} and outcome is null returning delivery_id, n)
        update webhook_delivery d set attempts = greatest(d.attempts, lost.n) from lost where d.id = lost.delivery_id`,
    );
    return owned.epoch;
  });
