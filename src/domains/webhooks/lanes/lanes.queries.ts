import type { DeliveryTrigger } from '../../../contracts/webhooks.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { useIndexLookups } from '../../../platform/database/index-lookups.ts';
import { rows, sql } from '../../../platform/database/sql.ts';

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
  lane: number;
  /** Endpoints after this id, in the order of ids. */
  after: string;
  maxEndpoints: number;
  /** How many deliveries to read of each known endpoint; of others, `defaultLimit`. */
  limits: ReadonlyMap<string, number>;
  defaultLimit: number;
  /** Only deliveries of this priority or a more urgent one. */
  maxPriority: number;
  /** Deliveries that the reader has already. */
  exclude: readonly string[];
}

type Row = Omit<WaitingDelivery, 'id' | 'endpointId'> &
  Omit<WaitingEndpoint, 'id' | 'deliveries'> & { endpoint: string | null; id: string | null };

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
    if (endpoint === null) continue;
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

const waitingRows = (read: LaneRead) => {
  const waiting = sql`d.lane = ${read.lane} and d.status = 'pending' and d.in_lane`;
  return sql<Row>`with recursive walk (endpoint_id, position) as (
        select (select d.endpoint_id from webhook_delivery d where ${waiting} and d.endpoint_id > ${read.after}::uuid
          order by d.endpoint_id limit 1), 1
        union all
        select (select d.endpoint_id from webhook_delivery d where ${waiting} and d.endpoint_id > w.endpoint_id
          order by d.endpoint_id limit 1), w.position + 1
        from walk w where w.endpoint_id is not null and w.position < ${read.maxEndpoints}
      )
      select w.endpoint_id as endpoint, e.status is distinct from 'active' or e.deleted_at is not null as "isInactive",
        e.breaker_until as "breakerUntil", e.breaker_failures as "breakerFailures", e.failing_since as "failingSince",
        e.max_in_flight as "maxInFlight", e.rate_per_second as "ratePerSecond",
        d.id, d.event_id as "eventId", d.merchant_id as "merchantId", d.priority, d.trigger, d.attempts,
        d.auto_attempts as "autoAttempts"
      from walk w
      left join webhook_endpoint e on e.id = w.endpoint_id
      left join unnest(${[...read.limits.keys()]}::uuid[], ${[...read.limits.values()]}::int[]) known (id, amount)
        on known.id = w.endpoint_id
      left join lateral (
        select * from webhook_delivery d where ${waiting} and d.endpoint_id = w.endpoint_id
          and d.priority <= ${read.maxPriority} and d.id <> all(${[...read.exclude]}::uuid[])
        order by d.priority, d.id limit coalesce(known.amount, ${read.defaultLimit})
      ) d on true
      order by w.position`;
};

export interface LaneWork {
  lane: number;
  /** At least one delivery waits. */
  waiting: boolean;
  /** Endpoints that were enabled or deleted and have parked deliveries: few, because the lane sends nothing while it releases a batch of each. */
  releasing: string[];
}

/** One query for all lanes of a process. */
export const findLaneWork = (ctx: Context, lanes: readonly number[]): Promise<LaneWork[]> =>
  rows(
    ctx.em,
    sql<LaneWork>`select lane,
        exists (select 1 from webhook_delivery d where d.lane = lanes.lane and d.status = 'pending' and d.in_lane) as waiting,
        array(select e.id from webhook_endpoint e where e.lane = lanes.lane and e.releasing order by e.id limit 2)::text[] as releasing
      from unnest(${[...lanes]}::smallint[]) lanes (lane)`,
  );
