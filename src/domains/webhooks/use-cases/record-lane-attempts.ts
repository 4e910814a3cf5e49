import { after } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { useIndexLookups } from '../../../platform/database/index-lookups.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { columnsOf } from '../../../platform/database/table.ts';
import { enqueueEach } from '../../../platform/outbox/outbox.ts';
import type { Tables } from '../../tables.ts';
import { type FinishedAttempt, OUTCOME_COLUMNS, SET_OUTCOME, toOutcomeRecord } from '../deliveries/attempts.steps.ts';
import { type DeliverySchedule, waitAfter } from '../deliveries/schedule.rules.ts';
import { liveSecretsOf, type StoredSecret } from '../endpoints/signing-secrets.steps.ts';
import type { WaitingDelivery } from '../lanes/lanes.queries.ts';

/** An attempt of a lane whose outcome is not recorded yet. */
export interface LaneAttempt extends FinishedAttempt {
  delivery: WaitingDelivery;
}

export interface RecordLaneAttemptsInput {
  lane: number;
  epoch: number;
  finished: readonly LaneAttempt[];
  /** Deliveries to start an attempt of. */
  start: readonly WaitingDelivery[];
  schedule: DeliverySchedule;
}

/** An attempt that is recorded as started and has to be sent now. */
export interface StartedAttempt {
  delivery: WaitingDelivery;
  n: number;
  url: string;
  body: Buffer;
  /** The current one first. */
  secrets: StoredSecret[];
  headerCiphertext: string | null;
}

interface StartedRow {
  isOwner: boolean;
  deliveryId: string | null;
  n: number;
  url: string;
  body: Buffer;
  secretIds: string[];
  ciphertexts: string[];
  headerCiphertext: string | null;
}

/**
 * Records finished attempts and starts new ones, in one statement. An attempt is started only while the lane is in this
 * epoch, its delivery waits in the lane, and its endpoint is active; `isOwner` is false once another process took over
 * the lane. A delivery whose attempt failed leaves the lane: its workflow is enqueued here. Finished attempts are recorded
 * whoever owns the lane, and recording one again changes nothing.
 */
export const recordLaneAttempts = async (
  ctx: Context,
  input: RecordLaneAttemptsInput,
): Promise<{ isOwner: boolean; started: StartedAttempt[] }> => {
  const found = await inTransaction(ctx, async (ctx) => {
    await useIndexLookups(ctx.em);
    return rows(ctx.em, statementOf(ctx, input));
  });
  const byId = new Map(input.start.map((delivery) => [delivery.id, delivery]));
  const started = found.flatMap(({ deliveryId, secretIds, ciphertexts, n, url, body, headerCiphertext }): StartedAttempt[] => {
    const delivery = deliveryId === null ? undefined : byId.get(deliveryId);
    if (!delivery) return [];
    const secrets = secretIds.map((id, i) => ({ id, ciphertext: ciphertexts[i] ?? '' }));
    return [{ delivery, n, url, body, secrets, headerCiphertext }];
  });
  return { isOwner: found[0]?.isOwner ?? false, started };
};

/** The first success closes the delivery, whatever happened meanwhile. A failure counts only while the delivery waits for it. */
const hasFailed = sql`f.next_status is not null and d.status = 'pending' and d.in_lane
  and d.attempts = f.n - 1`;

/**
 * Not an expression of any index: the planner must look up deliveries by their key, and not read the index of those that
 * wait, whose size it underestimates.
 */
const isPending = sql`d.status || '' = 'pending'`;

/** What becomes of a delivery after a failed attempt. */
const nextOf = ({ outcome, delivery }: LaneAttempt, schedule: DeliverySchedule, now: Date) => {
  if (outcome.succeeded) return { next_status: null, next_attempt_at: null };
  const waitMs = waitAfter(schedule, delivery.autoAttempts + 1, outcome.minWaitMs);
  if (waitMs === null) return { next_status: 'exhausted', next_attempt_at: null };
  return { next_status: 'pending', next_attempt_at: after(now, waitMs).toISOString() };
};

const toFinishedRow = (attempt: LaneAttempt, schedule: DeliverySchedule, now: Date): Record<string, unknown> => ({
  delivery_id: attempt.delivery.id,
  event_id: attempt.delivery.eventId,
  n: attempt.n,
  ...toOutcomeRecord(attempt),
  ...nextOf(attempt, schedule, now),
});

/** One statement for each batch, whose cost benchmark P10 measures. */
const statementOf = (ctx: Context, input: RecordLaneAttemptsInput) => {
  const { lane, epoch, finished, start, schedule } = input;
  const now = ctx.clock.now();
  const at = sql`${now.toISOString()}::timestamptz`;
  // Locked in this order, as by `takeOverLane`.
  const inOrder = finished.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
  const finishedRows = JSON.stringify(inOrder.map((attempt) => toFinishedRow(attempt, schedule, now)));
  const startRows = JSON.stringify(
    start.map(({ id, eventId, endpointId, attempts }) => ({ id, eventId, endpointId, n: attempts + 1 })),
  );
  return sql<StartedRow>`with fence as materialized (
      select 1 from webhook_lane where lane = ${lane} and epoch = ${epoch} for share
    ), finished as materialized (
      select * from jsonb_to_recordset(${finishedRows}::jsonb) as f (delivery_id uuid, event_id uuid, n int, ${OUTCOME_COLUMNS},
        next_status text, next_attempt_at timestamptz)
    ), recorded as (
      update webhook_attempt a set ${SET_OUTCOME}
      from finished f where a.delivery_id = f.delivery_id and a.n = f.n
    ), updated as (
      update webhook_delivery d set attempts = greatest(d.attempts, f.n), updated_at = ${at},
        status = case when f.outcome = 'succeeded' then 'succeeded' when ${hasFailed} then f.next_status else d.status end,
        next_attempt_at = case when f.outcome = 'succeeded' then null when ${hasFailed} then f.next_attempt_at
          else d.next_attempt_at end,
        auto_attempts = d.auto_attempts + case when ${hasFailed} then 1 else 0 end,
        in_lane = d.in_lane and not (${hasFailed})
      from finished f where d.id = f.delivery_id and d.event_id = f.event_id
      returning d.id, d.merchant_id, d.endpoint_id, d.status, d.run_suffix, old.in_lane and not new.in_lane as has_left
    ), enqueued as (
      ${enqueueFailed}
    ), started as (
      insert into webhook_attempt (delivery_id, n, suffix, lane, trigger, url, started_at, secret_ids)
      select s.id, s.n, '', ${lane}, d.trigger, e.url, ${at}, live.ids
      from fence, jsonb_to_recordset(${startRows}::jsonb) as s (id uuid, "eventId" uuid, n int)
        cross join lateral (
          select d.endpoint_id, d.trigger from webhook_delivery d where d.id = s.id and d.event_id = s."eventId"
            and ${isPending} and d.in_lane and d.attempts = s.n - 1 limit 1) d
        cross join lateral (
          select e.id, e.url from webhook_endpoint e where e.id = d.endpoint_id and e.status = 'active' and e.deleted_at is null
          limit 1) e
        cross join lateral (
          select array_agg(w.id) as ids from (${liveSecretsOf(sql`e.id`, at)}) w) live
      where live.ids is not null
      on conflict do nothing
      returning delivery_id, n, url, secret_ids
    )
    select exists (select 1 from fence) as "isOwner", v.body,
      ${columnsOf<Tables['webhook_attempt']>(['deliveryId', 'n', 'url', 'secretIds'], 'a')},
      array(select w.ciphertext from unnest(a.secret_ids) with ordinality live (id, position)
        join webhook_secret w on w.id = live.id order by live.position) as ciphertexts,
      (select e.header_ciphertext from webhook_endpoint e where e.id = s."endpointId") as "headerCiphertext"
    from (select 1) one
    left join (started a
      join jsonb_to_recordset(${startRows}::jsonb) as s (id uuid, "eventId" uuid, "endpointId" uuid) on s.id = a.delivery_id
      join webhook_event v on v.id = s."eventId") on true`;
};

const enqueueFailed = enqueueEach({
  topic: 'webhook.deliver',
  suffix: sql`run_suffix`,
  subjectId: sql`id`,
  payload: { merchantId: sql`merchant_id`, endpointId: sql`endpoint_id` },
  from: sql`(select id, merchant_id, endpoint_id, run_suffix from updated where has_left and status = 'pending') delivery`,
});
