import type { DeliveryTrigger } from '../../../contracts/webhooks.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { useIndexLookups } from '../../../platform/database/index-lookups.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { columnsOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { db, type Tables } from '../../tables.ts';
import { slotOf } from './slots.ts';

// Templates: walks along an index, recursive, which P10 measures.

/** A delivery that waits for an attempt by its lane. */
export interface WaitingDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  merchantId: string;
  /** See `DELIVERY_PRIORITIES`. */
  priority: number;
  trigger: DeliveryTrigger;
  attempts: number;
  autoAttempts: number;
}

/** An endpoint with waiting deliveries, as the database knows it. */
export interface WaitingEndpoint {
  id: string;
  isInactive: boolean;
  /** Null unless its circuit breaker is open. */
  breakerUntil: string | null;
  breakerFailures: number;
  failingSince: string | null;
  maxInFlight: number;
  ratePerSecond: number | null;
  deliveries: WaitingDelivery[];
}

export interface LaneRead {
  slots: readonly number[];
  /** Endpoints after this one, in the order of slots and ids. */
  after: string;
  maxEndpoints: number;
  /** How many deliveries to read of each known endpoint; of others, `defaultLimit`. */
  limits: ReadonlyMap<string, number>;
  defaultLimit: number;
  /** Covers only deliveries of this priority or a more urgent one. */
  maxPriority: number;
  /** Deliveries that the reader has already. */
  exclude: readonly string[];
}

const endpointColumns = columnsOf<Tables['webhook_endpoint']>(
  ['breakerUntil', 'breakerFailures', 'failingSince', 'maxInFlight', 'ratePerSecond'],
  'e',
);

const deliveryColumns = columnsOf<Tables['webhook_delivery']>(
  ['id', 'eventId', 'merchantId', 'priority', 'trigger', 'attempts', 'autoAttempts'],
  'd',
);

type Row = Omit<WaitingDelivery, 'id' | 'endpointId'> &
  Omit<WaitingEndpoint, 'id' | 'deliveries'> & { endpoint: string; id: string | null };

/**
 * Deliveries that wait in the lane, of each endpoint in the order of priority and id. The walk from endpoint to endpoint
 * takes one index probe each, however many deliveries wait. `next` is null after the last endpoint.
 */
export const listWaitingDeliveries = async (
  ctx: Context,
  read: LaneRead,
): Promise<{ endpoints: WaitingEndpoint[]; next: string | null }> => {
  const found = await inTransaction(ctx, async (ctx) => {
    await useIndexLookups(ctx.em);
    return rows(ctx.em, waitingRows(read));
  });
  const byEndpoint = new Map<string, WaitingEndpoint>();
  for (const { endpoint, id, ...row } of found) {
    const { isInactive, breakerUntil, breakerFailures, failingSince, maxInFlight, ratePerSecond, ...delivery } = row;
    const state = { isInactive, breakerUntil, breakerFailures, failingSince, maxInFlight, ratePerSecond };
    const known = byEndpoint.get(endpoint) ?? { id: endpoint, ...state, deliveries: [] };
    byEndpoint.set(endpoint, known);
    if (id !== null) known.deliveries.push({ ...delivery, id, endpointId: endpoint });
  }
  const endpoints = [...byEndpoint.values()];
  const isLast = endpoints.length < read.maxEndpoints;
  return { endpoints, next: isLast ? null : (endpoints.at(-1)?.id ?? null) };
};

const isWaiting = sql`d.status = 'pending' and d.in_lane`;

const waitingRows = ({ slots, after, maxEndpoints, limits, defaultLimit, maxPriority, exclude }: LaneRead) => {
  const columns = sql`select d.slot, d.endpoint_id from webhook_delivery d`;
  // A row comparison with a list of slots would read all deliveries of the endpoint instead of passing over them.
  const nextAfter = (slot: RawBuilder<unknown>, endpointId: RawBuilder<unknown>) => sql`
    (${columns} where d.slot = ${slot} and ${slot} = any(${[...slots]}::smallint[]) and d.endpoint_id > ${endpointId} and ${isWaiting}
      order by d.endpoint_id limit 1)
    union all
    (select first.slot, first.endpoint_id
      from (select slot from unnest(${[...slots]}::smallint[]) known (slot) where slot > ${slot} order by slot) later
      cross join lateral (${columns} where d.slot = later.slot and ${isWaiting} order by d.endpoint_id limit 1) first
      limit 1)
    limit 1`;
  return sql<Row>`with recursive walk (slot, endpoint_id, position) as (
        select first.slot, first.endpoint_id, 1 from (${nextAfter(sql`${slotOf(after)}::smallint`, sql`${after}::uuid`)}) first
        union all
        select next.slot, next.endpoint_id, w.position + 1
        from walk w cross join lateral (${nextAfter(sql`w.slot`, sql`w.endpoint_id`)}) next
        where w.position < ${maxEndpoints}
      )
      select w.endpoint_id as endpoint, e.status is distinct from 'active' or e.deleted_at is not null as "isInactive",
        ${endpointColumns}, ${deliveryColumns}
      from walk w
      left join webhook_endpoint e on e.id = w.endpoint_id
      left join unnest(${[...limits.keys()]}::uuid[], ${[...limits.values()]}::int[]) known (id, amount)
        on known.id = w.endpoint_id
      left join lateral (
        select * from webhook_delivery d where d.slot = w.slot and d.endpoint_id = w.endpoint_id and ${isWaiting}
          and d.priority <= ${maxPriority} and d.id <> all(${[...exclude]}::uuid[])
        order by d.priority, d.id limit coalesce(known.amount, ${defaultLimit})
      ) d on true
      order by w.position`;
};

/** How many lanes there are. */
export const findLaneCount = async (ctx: Context): Promise<number> => {
  const found = await firstRow(ctx.em, db.selectFrom('webhook_lane').select('lanes').where('lane', '=', 0));
  invariant(found, 'a lane has a row');
  return found.lanes;
};

export interface LaneWork {
  /** How many lanes there are. */
  lanes: number;
  /** Slots in which at least one delivery waits. */
  waiting: number[];
  /** Endpoints that were enabled or deleted and have parked deliveries: few of a lane, because it sends nothing while it unparks a batch of each. */
  unparking: string[];
}

/** Work of one lane, see `LaneWork`. */
export interface LaneNudge {
  lanes: number;
  isWaiting: boolean;
  unparking: string[];
}

/** What there is to do in any lane. */
export const findLaneWork = async (ctx: Context): Promise<LaneWork> => {
  const found = await firstRow(ctx.em, sql<LaneWork>`select lanes, waiting, unparking from find_lane_work()`);
  invariant(found, 'a lane has a row');
  return found;
};
