import { LANE_SLOTS } from '../../../contracts/webhooks.ts';
import { after, SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { type ExpressionBuilder, execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { db, type Tables } from '../../tables.ts';
import { LOST } from '../deliveries/attempts.steps.ts';
import { laneOf } from '../lanes/slots.ts';

export interface OwnedLane {
  epoch: number;
  /** How many lanes there are. Above that number, a lane serves nothing. */
  lanes: number;
}

/** Longer than an attempt can take. */
const LOST_AFTER_MS = 60 * SECOND_MS;

/** Lanes that ended when their number was reduced, whose unfinished attempts this one closes. */
const surplusOf = (lane: number, lanes: number): number[] =>
  Array.from({ length: LANE_SLOTS - lanes }, (_, at) => lanes + at).filter((surplus) => laneOf(surplus, lanes) === lane);

const lostOf =
  (lane: number, lanes: number, before: string) =>
  ({ eb, or, and }: ExpressionBuilder<Tables, 'webhook_attempt'>) =>
    and([
      eb('outcome', 'is', null),
      or([eb('lane', '=', lane), and([eb('lane', '=', anyOf(surplusOf(lane, lanes))), eb('startedAt', '<', before)])]),
    ]);

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
      db
        .updateTable('webhook_lane')
        .set(({ eb }) => ({ epoch: eb('epoch', '+', 1) }))
        .where('lane', '=', lane)
        .returning(['epoch', 'lanes']),
    );
    invariant(owned, 'a lane has a row');
    const isLost = lostOf(lane, owned.lanes, after(ctx.clock.now(), -LOST_AFTER_MS).toISOString());
    // Deliveries before their attempts, in the order of ids: as everybody else locks them.
    const lost = db.selectFrom('webhook_attempt').select('deliveryId').where(isLost);
    await execute(
      ctx.em,
      db.selectFrom('webhook_delivery').select('id').where('id', '=', sql<string>`any(array(${lost}))`).orderBy('id').forUpdate(),
    );
    await execute(
      ctx.em,
      db
        .with('lost', (cte) => cte.updateTable('webhook_attempt').set(LOST).where(isLost).returning(['deliveryId', 'n']))
        .updateTable('webhook_delivery as d')
        .from('lost')
        .set(({ fn }) => ({ attempts: fn<number>('greatest', ['d.attempts', 'lost.n']) }))
        .whereRef('d.id', '=', 'lost.deliveryId'),
    );
    return owned;
  });
