import { MAX_IN_FLIGHT_PER_ENDPOINT } from '../contracts/limits.ts';
import type { PayoutStatus } from '../contracts/payouts.ts';
import type { Rail } from '../contracts/rails.ts';
import { forkOf, type Orm } from '../platform/database/orm.ts';
import { firstRow, rows, sql } from '../platform/database/sql.ts';

// Templates: a worker knows no domain, and so none of their tables.

interface PayoutGroup {
  status: PayoutStatus;
  rail: Rail;
  payouts: number;
}

/** Counting stops here: nobody acts differently on a larger number. */
const MAX_COUNTED = 100_000;

/**
 * One scan of the index `payout_in_flight`, which holds open payouts only. The oldest one is of those that nothing holds up: neither an
 * approval, nor a paused run, nor a contradiction. It counts from when the last of these ended.
 */
export const openPayouts = (orm: Orm): Promise<(PayoutGroup & { oldestSeconds: number })[]> =>
  rows(
    forkOf(orm),
    sql<PayoutGroup & { oldestSeconds: number }>`select status, rail, count(*) as payouts,
        greatest(coalesce(extract(epoch from now() - min(since)), 0), 0) as "oldestSeconds"
      from (select p.status, p.rail, case
          when p.status = 'processing' then coalesce(p.processing_at, p.created_at)
          when p.approval_required_at is not null and p.approved_at is null then null
          when r.status = 'paused' then null
          when p.affiliate_id in (select o.affiliate_id from payout_contradiction k join payout o on o.id = k.payout_id
            where k.resolved_at is null) then null
          else greatest(p.created_at, p.approved_at, r.updated_at) end as since
        from payout p left join payout_run r on r.id = p.payout_run_id
        where p.status in ('pending', 'processing')) as open group by status, rail`,
  );

/** Payouts of the last 15 minutes, by the index `payout_ended`. */
export const endedPayouts = (orm: Orm): Promise<PayoutGroup[]> =>
  rows(
    forkOf(orm),
    sql<PayoutGroup>`select status, rail, count(*) as payouts from payout
      where status in ('completed', 'failed') and greatest(completed_at, failed_at) > now() - interval '15 minutes'
      group by status, rail`,
  );

export const payoutsInReview = (orm: Orm): Promise<number> =>
  countOf(orm, sql`select 1 from payout where needs_attention limit ${MAX_COUNTED}`);

export const unmatchedNotifications = (orm: Orm): Promise<number> =>
  countOf(orm, sql`select 1 from rail_notification where attempt_id is null limit ${MAX_COUNTED}`);

export const openSaleProblems = (orm: Orm): Promise<number> =>
  countOf(orm, sql`select 1 from sale_problem where resolved_at is null limit ${MAX_COUNTED}`);

/** What a person has to look at, by the index of what is not settled. */
export const openDifferences = (orm: Orm): Promise<number> =>
  countOf(orm, sql`select 1 from reconciliation_difference where status = 'open' limit ${MAX_COUNTED}`);

/** Endpoints whose circuit breaker is open. */
export const pausedEndpoints = (orm: Orm): Promise<number> =>
  countOf(
    orm,
    sql`select 1 from webhook_endpoint where breaker_until is not null and status = 'active' and deleted_at is null limit ${MAX_COUNTED}`,
  );

/** First attempts that wait in a lane and are not paused by a breaker or a limit of the merchant, and retries that are late. A delivery that waits for a scheduled retry is not due. */
export const webhookBacklog = async (orm: Orm): Promise<{ due: number; oldestSeconds: number }> =>
  (await firstRow(
    forkOf(orm),
    sql<{ due: number; oldestSeconds: number }>`select count(*) as due,
        coalesce(extract(epoch from now() - min(next_attempt_at)), 0) as "oldestSeconds"
      from ((select next_attempt_at from webhook_delivery
          where status = 'pending' and not in_lane and next_attempt_at <= now() order by next_attempt_at limit ${MAX_COUNTED})
        union all (select next_attempt_at from webhook_delivery
          where status = 'pending' and in_lane and next_attempt_at <= now() and not exists (
            select 1 from webhook_endpoint e where e.id = endpoint_id
              and (e.breaker_until is not null or e.rate_per_second is not null or e.max_in_flight < ${MAX_IN_FLIGHT_PER_ENDPOINT}))
          limit ${MAX_COUNTED})) due`,
  )) ?? { due: 0, oldestSeconds: 0 };

export const givenUpMails = (orm: Orm): Promise<number> =>
  countOf(orm, sql`select 1 from mail where status = 'given_up' and recipient is not null limit ${MAX_COUNTED}`);

/** Seconds since the oldest of these times; 0 without any. */
const ageOf = async (orm: Orm, limited: ReturnType<typeof sql>): Promise<number> =>
  (
    await firstRow(
      forkOf(orm),
      sql<{ seconds: number }>`select greatest(coalesce(extract(epoch from now() - min(since)), 0), 0) as seconds
        from (${limited}) limited`,
    )
  )?.seconds ?? 0;

/** How long nothing is paid; 0 while payments go on. */
export const paymentsHeldSeconds = (orm: Orm): Promise<number> =>
  ageOf(orm, sql`select held_at as since from payments_hold where lifted_at is null`);

export const oldestQueuedMail = (orm: Orm): Promise<number> =>
  ageOf(orm, sql`select queued_at as since from mail where status = 'queued' order by id limit ${MAX_COUNTED}`);

export const waitingApplications = (orm: Orm): Promise<number> =>
  countOf(orm, sql`select 1 from application where status = 'pending' limit ${MAX_COUNTED}`);

/** Ids are ordered by time. */
export const oldestWaitingApplication = (orm: Orm): Promise<number> =>
  ageOf(orm, sql`select created_at as since from application where status = 'pending' order by id limit 1`);

export const oldestUnscreenedConversion = (orm: Orm): Promise<number> =>
  ageOf(orm, sql`select created_at as since from conversion where screened_at is null limit ${MAX_COUNTED}`);

/** When the deadlines of open flags are. */
export const FLAG_DEADLINES = ['later', 'within_a_day', 'over'] as const;
export type FlagDeadline = (typeof FLAG_DEADLINES)[number];

export const openFlags = (orm: Orm): Promise<{ deadline: FlagDeadline; flags: number }[]> =>
  rows(
    forkOf(orm),
    sql<{ deadline: FlagDeadline; flags: number }>`select deadline, count(*) as flags from (select
        case when due_at < now() then 'over' when due_at < now() + interval '1 day' then 'within_a_day' else 'later' end as deadline
      from flag where status = 'open' and hold_ended_at is null limit ${MAX_COUNTED}) as limited group by deadline`,
  );

const countOf = async (orm: Orm, limited: ReturnType<typeof sql>): Promise<number> =>
  (await firstRow(forkOf(orm), sql<{ count: number }>`select count(*) as count from (${limited}) limited`))?.count ?? 0;
