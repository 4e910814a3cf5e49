import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import { EVENT_HORIZON } from './events.queries.ts';
import type { WebhookReplay } from './webhook-replay.entity.ts';
import { type ReplayView, type StoredReplay, toReplay } from './webhook-replays.wire.ts';

/** It stays readable after its endpoint is deleted. Throws FORBIDDEN for another merchant's. */
export const getWebhookReplay = async (ctx: Context, id: string): Promise<ReplayView> => {
  const row = await firstRow(
    ctx.em,
    sql<StoredReplay & { merchantId: string }>`select id, merchant_id as "merchantId", endpoint_id as "endpointId", since, until,
        statuses, types, state, cancel_reason as "cancelReason", events_examined as "eventsExamined",
        deliveries_queued as "deliveriesQueued", created_at as "createdAt", completed_at as "completedAt"
      from webhook_replay where id = ${id}::uuid`,
  );
  if (!row) throw notFound('Webhook replay');
  if (row.merchantId !== merchantOf(ctx)) throw forbidden();
  return toReplay(row);
};

export interface ReplaysOfMerchant {
  running: number;
  /** Since the given time, in whatever state they are. */
  started: number;
  /** Of the endpoint; null if none runs. */
  runningId: string | null;
}

/** Those that run and those that were started since a time, with the running one of an endpoint. */
export const countReplays = async (
  ctx: Context,
  { id, merchantId }: { id: string; merchantId: string },
  since: Date,
): Promise<ReplaysOfMerchant> => {
  const at = sql`${since.toISOString()}::timestamptz`;
  const found = await firstRow(
    ctx.em,
    sql<ReplaysOfMerchant>`select count(*) filter (where state = 'running')::int as running,
        count(*) filter (where created_at >= ${at})::int as started,
        min(id::text) filter (where state = 'running' and endpoint_id = ${id}::uuid) as "runningId"
      from webhook_replay where merchant_id = ${merchantId}::uuid and (state = 'running' or created_at >= ${at})`,
  );
  invariant(found, 'a count has a row');
  return found;
};

/** What a batch needs to know of the endpoint, as it is now. */
export interface ReplayTarget {
  slot: number;
  programId: string | null;
  isDisabled: boolean;
  isDeleted: boolean;
  /** The transactions that began before the replay have ended: all events of its range are visible. */
  isComplete: boolean;
}

export const findReplayTarget = (ctx: Context, { id, endpointId }: WebhookReplay): Promise<ReplayTarget | null> =>
  firstRow(
    ctx.em,
    sql<ReplayTarget>`select slot, program_id as "programId", status <> 'active' as "isDisabled", deleted_at is not null as "isDeleted",
        (select r.position from webhook_replay r where r.id = ${id}::uuid)
          <= ${EVENT_HORIZON} as "isComplete"
      from webhook_endpoint where id = ${endpointId}::uuid`,
  );
