import { SECOND_MS } from '../platform/clock.ts';
import { forkOf, type Orm } from '../platform/database/orm.ts';
import { execute, firstRow, rows, sql } from '../platform/database/sql.ts';
import { faultPoint } from '../platform/fault-points.ts';
import type { Ids } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Dispatch } from './dispatch.ts';
import { type OutboxEntry, routeOf, type WorkflowStart } from './routing.ts';

export interface RelayOptions {
  orm: Orm;
  ids: Ids;
  log: Logger;
  dispatch: Dispatch;
  route?: (entry: OutboxEntry) => WorkflowStart;
  /** Rows a relay holds at once, and how many of them it works on side by side. */
  batch?: number;
  concurrency?: number;
  pollMs?: number;
  /** Called after each round with how many rows it finished. */
  onRound?: (finished: number) => void;
}

const LEASE = '20 seconds';
/** A stalled relay stops using a lease well before others may take its rows. */
const USE_LEASE_MS = 15 * SECOND_MS;
const FAULT_PAUSE_MS = SECOND_MS;
const ERROR_LENGTH = 300;

export interface Relay {
  /** One claim and everything in it; returns how many rows were finished. */
  round(): Promise<number>;
  /** Rounds until `stop`: at once while batches are full, else every `pollMs`. Survives every fault. */
  run(): Promise<void>;
  stop(): void;
}

/** Turns outbox rows into stories: at least once each, in no promised order, with no transaction over a network call. */
export const createRelay = (options: RelayOptions): Relay => {
  const { orm, log, dispatch } = options;
  const route = options.route ?? routeOf;
  const batch = options.batch ?? 100;
  const pollMs = options.pollMs ?? 100;
  let running = true;
  let wake: () => void = () => {};

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const round = async (): Promise<number> => {
    const claimedAt = Date.now();
    const claim = options.ids.next();
    const claimed = await claimRows(orm, claim, batch);
    if (claimed.length === 0) return 0;
    faultPoint('relay:after-claim');
    const done: string[] = [];
    const failures: unknown[] = [];
    const untouched: string[] = [];
    await inParallel(claimed, options.concurrency ?? 32, async (entry) => {
      if (!running || Date.now() - claimedAt > USE_LEASE_MS) return void untouched.push(entry.seq);
      try {
        await dispatch(route(entry));
        faultPoint('relay:after-start');
        done.push(entry.seq);
      } catch (error) {
        failures.push(error);
        await recordFailure(orm, claim, entry, error);
      }
    });
    // One line a round: while Temporal is away, every row fails.
    if (failures.length > 0) log.warn({ err: failures[0], rows: failures.length }, 'outbox rows could not be relayed');
    await finish(orm, claim, done);
    await release(orm, claim, untouched);
    return done.length;
  };

  return {
    round,
    async run() {
      while (running) {
        const finished = await round().catch(async (err: unknown) => {
          log.error({ err }, 'a round of the relay failed');
          await pause(FAULT_PAUSE_MS);
          return 0;
        });
        options.onRound?.(finished);
        if (running && finished < batch) await pause(pollMs);
      }
    },
    stop() {
      running = false;
      wake();
    },
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
      returning o.seq::text as seq, o.topic, o.subject_id as "subjectId", o.suffix, o.payload`,
  );

/** A row whose claim was taken away meanwhile stays: somebody asked for it again. */
const finish = (orm: Orm, claim: string, done: string[]): Promise<number> =>
  done.length === 0
    ? Promise.resolve(0)
    : execute(forkOf(orm), sql`delete from outbox where seq = any(${done}::bigint[]) and lease_id = ${claim}::uuid`);

/** What was claimed and not begun is free at once: a relay that stops leaves nothing lying until its lease ends. */
const release = (orm: Orm, claim: string, untouched: string[]): Promise<number> =>
  untouched.length === 0
    ? Promise.resolve(0)
    : execute(
        forkOf(orm),
        sql`update outbox set lease_expires_at = null where seq = any(${untouched}::bigint[]) and lease_id = ${claim}::uuid`,
      );

/** Comes back when its lease ends; its fault is kept for the operator. */
const recordFailure = async (orm: Orm, claim: string, entry: OutboxEntry, error: unknown): Promise<void> => {
  const said = (error instanceof Error ? `${error.name}: ${error.message}` : 'unknown').slice(0, ERROR_LENGTH);
  await execute(
    forkOf(orm),
    sql`update outbox set last_error = ${said}, lease_expires_at = now() + least(attempts, 20) * interval '1 second'
      where seq = ${entry.seq}::bigint and lease_id = ${claim}::uuid`,
  ).catch(() => 0);
};

const inParallel = async <T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> => {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
};

export interface OutboxHealth {
  waiting: number;
  oldestSeconds: number;
}

/** How far behind the relay is; an age above a minute is an alarm. */
export const outboxHealth = async (orm: Orm): Promise<OutboxHealth> =>
  (await firstRow(
    forkOf(orm),
    sql<OutboxHealth>`select count(*)::int as waiting,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds" from outbox`,
  )) ?? { waiting: 0, oldestSeconds: 0 };
