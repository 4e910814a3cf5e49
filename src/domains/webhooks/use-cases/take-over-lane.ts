import { LANE_SLOTS } from '../../../contracts/webhooks.ts';
import { after, SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { SET_LOST } from '../attempts.ts';
import { laneOf } from '../lanes/slots.ts';

export interface OwnedLane {
  epoch: number;
  /** How many lanes there are. Above that number, a lane serves nothing. */
  lanes: number;
}

/** Longer than an attempt can take. */
const LOST_AFTER_MS = 60 * SECOND_MS;

/** Lanes that ended when their number was reduced, of which this one has taken on the slots. */
const surplusOf = (lane: number, lanes: number): number[] =>
  Array.from({ length: LANE_SLOTS - lanes }, (_, at) => lanes + at).filter((surplus) => laneOf(surplus, lanes) === lane);

/**
 * Makes the caller the owner of the lane: no attempt of a lower epoch can start any more. Attempts that the lane started and
 * did not finish have an unknown outcome; their deliveries are sent again. Those of a surplus lane are given the time that an
 * attempt can take, because it records what it has in flight before it ends.
 */
export const takeOverLane = (ctx: Context, { lane }: { lane: number }): Promise<OwnedLane> =>
  inTransaction(ctx, async (ctx) => {
    // A statement of its own: it waits for attempts that are being started, and the next one has to see them.
    const owned = await firstRow(
      ctx.em,
      sql<OwnedLane>`update webhook_lane set epoch = epoch + 1 where lane = ${lane} returning epoch::int as epoch, lanes`,
    );
    invariant(owned, 'a lane has a row');
    const lostBefore = after(ctx.clock.now(), -LOST_AFTER_MS).toISOString();
    const isLost = sql`outcome is null and (lane = ${lane}
      or lane = any(${surplusOf(lane, owned.lanes)}::smallint[]) and started_at < ${lostBefore}::timestamptz)`;
    // Deliveries before their attempts, in the order of ids: as everybody else locks them.
    await execute(
      ctx.em,
      sql`select 1 from webhook_delivery where id = any(array(select delivery_id from webhook_attempt where ${isLost}))
        order by id for update`,
    );
    await execute(
      ctx.em,
      sql`with lost as (
          update webhook_attempt set ${SET_LOST} where ${isLost} returning delivery_id, n)
        update webhook_delivery d set attempts = greatest(d.attempts, lost.n) from lost where d.id = lost.delivery_id`,
    );
    return owned;
  });
