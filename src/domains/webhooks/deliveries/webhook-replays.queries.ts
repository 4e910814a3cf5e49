import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { db } from '../../tables.ts';
import { EVENT_HORIZON } from '../events/events.queries.ts';
import type { WebhookReplay } from '../webhook-replay.entity.ts';
import { type ReplayView, toReplay } from './webhook-replays.wire.ts';

const REPLAY = [
  ...(['id', 'merchantId', 'endpointId', 'since', 'until', 'statuses', 'types', 'state', 'cancelReason'] as const),
  ...(['eventsExamined', 'deliveriesQueued', 'createdAt', 'completedAt'] as const),
] as const;

/** It stays readable after its endpoint is deleted. */
export const getWebhookReplay = async (ctx: Context, id: string): Promise<ReplayView> => {
  const row = await firstRow(ctx.em, db.selectFrom('webhook_replay').select(REPLAY).where('id', '=', id));
  return toReplay(readOwned(ctx, 'Webhook replay', row));
};

export interface ReplaysOfMerchant {
  running: number;
  /** Started since the given time, in whatever state they are. */
  started: number;
  /** The endpoint's running replay; null if none runs. */
  runningId: string | null;
}

/** Counts the replays that run and those that were started since a time, and finds the running one of an endpoint. */
export const countReplays = async (
  ctx: Context,
  { id, merchantId }: { id: string; merchantId: string },
  since: Date,
): Promise<ReplaysOfMerchant> => {
  const at = since.toISOString();
  const isRunning = sql<boolean>`state = 'running'`;
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('webhook_replay')
      .select(({ fn }) => [
        fn.countAll<number>().filterWhere(isRunning).as('running'),
        fn.countAll<number>().filterWhere('createdAt', '>=', at).as('started'),
        sql<string | null>`min(id::text) filter (where ${isRunning} and endpoint_id = ${id})`.as('runningId'),
      ])
      .where('merchantId', '=', merchantId)
      .where(({ eb, or }) => or([isRunning, eb('createdAt', '>=', at)])),
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
    db
      .selectFrom('webhook_endpoint')
      .select([
        'slot',
        'programId',
        sql<boolean>`status <> 'active'`.as('isDisabled'),
        sql<boolean>`deleted_at is not null`.as('isDeleted'),
        sql<boolean>`(select r.position from webhook_replay r where r.id = ${id}) <= ${EVENT_HORIZON}`.as('isComplete'),
      ])
      .where('id', '=', endpointId),
  );
