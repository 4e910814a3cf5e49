import { LockMode } from '@mikro-orm/core';
import { DELIVERY_DAYS } from '../../../contracts/limits.ts';
import {
  DELIVERY_PRIORITIES,
  type ReplayCancelReason,
  type ReplayProgress,
  RUN_SUFFIXES,
  runSuffix,
} from '../../../contracts/webhooks.ts';
import { after, DAY_MS, SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { useIndexLookups } from '../../../platform/database/index-lookups.ts';
import { firstRow, type RawBuilder, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { findReplayTarget, type ReplayTarget } from '../deliveries/webhook-replays.queries.ts';
import { WebhookReplay } from '../webhook-replay.entity.ts';

export interface ReplayNextEventsInput {
  replayId: string;
  /** Events that are examined at most. */
  limit: number;
}

/** Pause before the next look at transactions that were open when the replay was requested. Few last longer. */
const RECHECK_MS = SECOND_MS;

const reasonToEnd = (target: ReplayTarget | null): ReplayCancelReason | null => {
  if (!target || target.isDeleted) return 'endpoint_deleted';
  return target.isDisabled ? 'endpoint_disabled' : null;
};

/**
 * The next batch of a replay. Its deliveries and the position of the replay are committed together, so that a crash neither
 * repeats nor skips an event. A replay that has ended stays as it is.
 */
export const replayNextEvents = (ctx: Context, input: ReplayNextEventsInput): Promise<ReplayProgress> =>
  inTransaction(ctx, async (ctx) => {
    const { replayId, limit } = input;
    const replay = await ctx.em.findOneOrFail(
      WebhookReplay,
      { id: replayId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (replay.state !== 'running') return replay.progress();
    const now = ctx.clock.now();
    const target = await findReplayTarget(ctx, replay);
    const reason = reasonToEnd(target);
    if (!target || reason !== null) {
      replay.cancel(reason ?? 'endpoint_deleted', now);
      return replay.progress();
    }
    if (!target.isComplete) return replay.progress(RECHECK_MS);
    const page = await queueReplayedEvents(ctx, replay, { target, limit });
    replay.advance(page, now);
    if (page.isLast) replay.complete(now);
    return replay.progress();
  });

interface ReplayedPage {
  examined: number;
  queued: number;
  /** Null for an empty page. */
  lastEventId: string | null;
  isLast: boolean;
}

/** A range that reaches up to the request has no end in time: clocks of servers differ. Its end is the position of the replay. */
const isBeforeEnd = ({ until, createdAt }: WebhookReplay): RawBuilder<unknown> =>
  until < createdAt ? sql`id < first_uuid_at(${after(until, 1).toISOString()})` : sql`true`;

/**
 * Examines up to `limit` events after the last one, in the order of their ids, and queues deliveries of those that the replay
 * asks for: new ones, and ones that are final and begin a schedule anew. A delivery that is pending or parked is not touched.
 * Events of transactions that began after the replay are passed over: the endpoint was active. Expired events are left out,
 * because their deliveries may be removed already. A template, as its parts change rows.
 */
const queueReplayedEvents = async (
  ctx: Context,
  replay: WebhookReplay,
  { target, limit }: { target: ReplayTarget; limit: number },
): Promise<ReplayedPage> => {
  await useIndexLookups(ctx.em);
  const now = ctx.clock.now();
  const at = now.toISOString();
  const since = new Date(Math.max(replay.since.getTime(), now.getTime() - DELIVERY_DAYS * DAY_MS));
  const page = await firstRow(
    ctx.em,
    sql<ReplayedPage>`with page as materialized (
        select id, program_id, type, test, position < (select position from webhook_replay where id = ${replay.id}) as in_range
        from webhook_event
        where merchant_id = ${replay.merchantId} and id > ${replay.lastEventId}
          and id >= first_uuid_at(${since.toISOString()}) and ${isBeforeEnd(replay)}
        order by id limit ${limit}
      ), wanted as materialized (
        select page.id as event_id, d.id as delivery_id
        from page left join lateral (
          select d.id, d.status from webhook_delivery d where d.event_id = page.id and d.endpoint_id = ${replay.endpointId}
          limit 1) d on true
        where page.in_range and not page.test and page.type = ${anyOf(replay.types)}
          and (${target.programId}::uuid is null or page.program_id = ${target.programId}::uuid)
          and coalesce(d.status, 'missing') = ${anyOf(replay.statuses)}
      ), created as (
        insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, trigger, status, replay_count,
          run_suffix, next_attempt_at, created_at, updated_at)
        select uuidv7(), event_id, ${replay.endpointId}, ${replay.merchantId}, ${target.slot},
          ${DELIVERY_PRIORITIES.replayed}, 'replay', 'pending', 1, ${runSuffix('replay', 1)}, ${at}, ${at}, ${at}
        from wanted where delivery_id is null order by event_id
        on conflict (event_id, endpoint_id) do nothing returning 1
      ), repeated as (
        update webhook_delivery d set status = 'pending', in_lane = true, priority = ${DELIVERY_PRIORITIES.replayed}, trigger = 'replay',
          auto_attempts = 0, replay_count = d.replay_count + 1, run_suffix = ${RUN_SUFFIXES.replay}::text || (d.replay_count + 1),
          next_attempt_at = ${at}, updated_at = ${at}
        from wanted w where d.id = w.delivery_id and d.event_id = w.event_id and d.status = ${anyOf(replay.statuses)}
        returning 1
      )
      select (select count(*)::int from page where in_range) as examined, (select count(*) from page) < ${limit} as "isLast",
        (select count(*)::int from created) + (select count(*)::int from repeated) as queued,
        (select id from page order by id desc limit 1) as "lastEventId"`,
  );
  invariant(page, 'a count has a row');
  return page;
};
