import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { SECOND_MS } from '../platform/clock.ts';
import { forkOf, type Orm } from '../platform/database/orm.ts';
import { execute, firstRow, rows, sql } from '../platform/database/sql.ts';
import { faultPoint } from '../platform/fault-points.ts';
import type { Ids } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { withTraceParent } from '../platform/tracing/trace-parent.ts';
import type { Dispatch } from './dispatch.ts';
import { type OutboxEntry, routeOf, type WorkflowStart } from './routing.ts';

export interface RelayOptions {
  orm: Orm;
  ids: Ids;
  log: Logger;
  dispatch: Dispatch;
  route?: (entry: OutboxEntry) => WorkflowStart;
  /** Rows claimed at once. */
  batch?: number;
  /** Rows of a batch that are dispatched at the same time. */
  concurrency?: number;
  pollMs?: number;
  /** Called after each round with the number of finished rows. */
  onRound?: (finished: number) => void;
}

const LEASE = '20 seconds';
/** A stalled relay stops using its lease well before another relay may claim the rows. */
const USE_LEASE_MS = 15 * SECOND_MS;
const ERROR_PAUSE_MS = SECOND_MS;
const ERROR_LENGTH = 300;

export interface Relay {
  /** Claims one batch and dispatches it. Returns the number of finished rows. */
  round(): Promise<number>;
  /** Runs rounds until `stop`: without a pause while batches are full, otherwise every `pollMs`. Never rejects. */
  run(): Promise<void>;
  /** Rows that are claimed but not yet dispatched are released. */
  stop(): void;
}

/** Dispatches each outbox row at least once, in no guaranteed order. No transaction is open during a network call. */
export const createRelay = (options: RelayOptions): Relay => {
  const { orm, log, dispatch } = options;
  const route = options.route ?? routeOf;
  const batch = options.batch ?? 100;
  const pollMs = options.pollMs ?? 100;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  const round = async (): Promise<number> => {
    const claimedAt = Date.now();
    const claim = options.ids.next();
    const claimed = await claimRows(orm, claim, batch);
    if (claimed.length === 0) return 0;
    faultPoint('relay:after-claim');
    const done: string[] = [];
    const failures: unknown[] = [];
    const untouched: string[] = [];
    const relayOne = async (entry: OutboxEntry): Promise<void> => {
      if (signal.aborted || Date.now() - claimedAt > USE_LEASE_MS) return void untouched.push(entry.seq);
      try {
        await withTraceParent(entry.traceParent, () => dispatch(route(entry)));
        faultPoint('relay:after-start');
        done.push(entry.seq);
      } catch (error) {
        failures.push(error);
        await recordFailure(orm, claim, entry, error);
      }
    };
    await pMap(claimed, relayOne, { concurrency: options.concurrency ?? 32 });
    // One line per round: while Temporal is unavailable, every row fails.
    if (failures.length > 0) log.warn({ err: failures[0], rows: failures.length }, 'outbox rows could not be relayed');
    await finish(orm, claim, done);
    await release(orm, claim, untouched);
    return done.length;
  };

  return {
    round,
    async run() {
      while (!signal.aborted) {
        const finished = await round().catch(async (err: unknown) => {
          log.error({ err }, 'relay round failed');
          await pause(ERROR_PAUSE_MS);
          return 0;
        });
        options.onRound?.(finished);
        if (finished < batch) await pause(pollMs);
      }
    },
    stop: () => stopping.abort(),
  };
};

const claimRows = (orm: Orm, claim: string, batch: number): Promise<OutboxEntry[]> =>
  rows(
    forkOf(orm),
    sql<OutboxEntry>`with free as materialized (
        select seq from outbox where lease_expires_at is null or lease_expires_at < now()
        order by seq limit ${batch} for update skip locked)
      update outbox o set lease_expires_at = now() + ${LEASE}::interval, lease_id = ${claim}::uuid, attempts = attempts + 1
      from free where o.seq = free.seq
      returning o.seq::text as seq, o.topic, o.subject_id as "subjectId", o.suffix, o.payload, o.reconciled,
        o.trace_parent as "traceParent"`,
  );

/** A row whose lease was removed meanwhile was enqueued again, so it stays. */
const finish = (orm: Orm, claim: string, done: string[]): Promise<number> =>
  done.length === 0
    ? Promise.resolve(0)
    : execute(forkOf(orm), sql`delete from outbox where seq = any(${done}::bigint[]) and lease_id = ${claim}::uuid`);

/** Other relays may claim these rows at once instead of when the lease ends. */
const release = (orm: Orm, claim: string, untouched: string[]): Promise<number> =>
  untouched.length === 0
    ? Promise.resolve(0)
    : execute(
        forkOf(orm),
        sql`update outbox set lease_expires_at = null where seq = any(${untouched}::bigint[]) and lease_id = ${claim}::uuid`,
      );

/** The row is claimed again when its lease ends. The error is stored for the operator. */
const recordFailure = async (orm: Orm, claim: string, entry: OutboxEntry, error: unknown): Promise<void> => {
  const text = (error instanceof Error ? `${error.name}: ${error.message}` : 'unknown').slice(0, ERROR_LENGTH);
  await execute(
    forkOf(orm),
    sql`update outbox set last_error = ${text}, lease_expires_at = now() + least(attempts, 20) * interval '1 second'
      where seq = ${entry.seq}::bigint and lease_id = ${claim}::uuid`,
  ).catch(() => 0);
};

export interface OutboxHealth {
  waiting: number;
  oldestSeconds: number;
}

/**
 * How far behind the relay is; alert above 60 seconds. `created_at` is rounded to milliseconds, so the current time is
 * rounded too: otherwise the age could be too low by half a millisecond, or negative.
 */
export const outboxHealth = async (orm: Orm): Promise<OutboxHealth> =>
  (await firstRow(
    forkOf(orm),
    sql<OutboxHealth>`select count(*)::int as waiting,
      coalesce(extract(epoch from now()::timestamptz(3) - min(created_at)), 0)::float8 as "oldestSeconds" from outbox`,
  )) ?? { waiting: 0, oldestSeconds: 0 };
