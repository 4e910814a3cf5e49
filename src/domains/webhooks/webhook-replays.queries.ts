import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { type ReplayLike, type ReplayView, toReplay } from './webhook-replays.wire.ts';

/** It stays readable after its endpoint is deleted. Throws FORBIDDEN for another merchant's. */
export const getWebhookReplay = async (ctx: Context, id: string): Promise<ReplayView> => {
  const row = await firstRow(
    ctx.em,
    sql<ReplayLike & { merchantId: string }>`select id, merchant_id as "merchantId", endpoint_id as "endpointId", since, until,
        statuses, types, state, cancel_reason as "cancelReason", events_examined as "eventsExamined",
        deliveries_queued as "deliveriesQueued", created_at as "createdAt", completed_at as "completedAt"
      from webhook_replay where id = ${id}::uuid`,
  );
  if (!row) throw notFound('Webhook replay');
  if (row.merchantId !== merchantOf(ctx)) throw forbidden();
  return toReplay(row);
};

/** The id of the endpoint's running replay; null if there is none. */
export const findRunningReplay = async (ctx: Context, endpointId: string): Promise<string | null> => {
  const running = await firstRow(
    ctx.em,
    sql<{ id: string }>`select id from webhook_replay where endpoint_id = ${endpointId}::uuid and state = 'running'`,
  );
  return running?.id ?? null;
};

/** Those that run, and those that were started since a time. */
export const countReplays = async (
  ctx: Context,
  merchantId: string,
  since: Date,
): Promise<{ running: number; started: number }> => {
  const found = await firstRow(
    ctx.em,
    sql<{ running: number; started: number }>`select count(*) filter (where state = 'running')::int as running,
        count(*) filter (where created_at >= ${since.toISOString()}::timestamptz)::int as started
      from webhook_replay where merchant_id = ${merchantId}::uuid
        and (state = 'running' or created_at >= ${since.toISOString()}::timestamptz)`,
  );
  return found ?? { running: 0, started: 0 };
};

/** What a batch needs to know of the endpoint, as it is now. */
export interface ReplayTarget {
  lane: number;
  programId: string | null;
  isDisabled: boolean;
  isDeleted: boolean;
}

export const findReplayTarget = (ctx: Context, endpointId: string): Promise<ReplayTarget | null> =>
  firstRow(
    ctx.em,
    sql<ReplayTarget>`select lane, program_id as "programId", status <> 'active' as "isDisabled", deleted_at is not null as "isDeleted"
      from webhook_endpoint where id = ${endpointId}::uuid`,
  );
