import { OUTBOX_PRIORITIES, type OutboxPriority } from '../../contracts/outbox.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { type EntityManager, forkOf, type Orm } from '../../platform/database/orm.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Retry } from './dispatch-failure.ts';
import type { OutboxEntry } from './routing.ts';

export interface LeasedRow {
  entry: OutboxEntry;
  attempts: number;
  failures: number;
}

/** Rows that belong to one relay until the lease ends. */
export interface Lease {
  id: string;
  rows: readonly LeasedRow[];
  /** Whether more rows may be due. */
  isFull: boolean;
  /** False once the lease may no longer be used: another relay could soon lease the rows. */
  isUsable(): boolean;
}

/** What became of the rows of a lease, by `seq`. */
export interface LeaseResult {
  done: readonly string[];
  failures: readonly (Retry & { seq: string; error: string })[];
  untouched: readonly string[];
}

export interface Leases {
  next(): Promise<Lease>;
  /** Deletes the finished rows, stores failures and gives up the rest. */
  finish(lease: Lease, result: LeaseResult): Promise<void>;
}

export const LEASE_MS = 20 * SECOND_MS;
/** A stalled relay stops using its lease well before another relay may lease the rows. */
const USABLE_SHARE = 0.75;
/** The share of a batch that is reserved for one of the lower priorities, in turn. */
const RESERVED_SHARE = 0.1;

const ALL = Object.values(OUTBOX_PRIORITIES);
const LOWER: readonly OutboxPriority[] = ALL.filter((priority) => priority > Math.min(...ALL));

// The column has milliseconds: what was rounded up is due as soon as it is written.
const IS_FREE = sql`next_attempt_at <= now()::timestamptz(3) and (lease_expires_at is null or lease_expires_at < now())`;

/**
 * Leases rows of the outbox and stores what became of them: two or three statements for each batch, none of them in a transaction with another. They are
 * templates, as P12 measures them.
 */
export const createLeases = (
  { orm, ids }: { orm: Orm; ids: Ids },
  { batch, leaseMs = LEASE_MS }: { batch: number; leaseMs?: number | undefined },
): Leases => {
  const em = forkOf(orm);
  const reservedRows = Math.ceil(batch * RESERVED_SHARE);
  let turn = 0;
  return {
    async next() {
      const id = ids.next();
      const leasedAtMs = Date.now();
      const reserved = { priority: LOWER[turn++ % LOWER.length] ?? OUTBOX_PRIORITIES.bulk, limit: reservedRows };
      const leased = await leaseRows(em, { id, batch, leaseMs, reserved });
      return {
        id,
        isFull: leased.length === batch,
        rows: (await fold(em, id, leased)).map(
          ({ attempts, failures, ...entry }) => ({ entry, attempts, failures }) as LeasedRow,
        ),
        isUsable: () => Date.now() - leasedAtMs <= leaseMs * USABLE_SHARE,
      };
    },
    async finish({ id }, { done, failures, untouched }) {
      await deleteDone(em, id, done);
      await recordFailures(em, id, failures);
      await giveUp(em, id, untouched);
    },
  };
};

type FlatRow = OutboxEntry & Omit<LeasedRow, 'entry'>;

/** Rows that one statement folds at most. */
const MAX_FOLDED = 10_000;

/**
 * Keeps one row of each subject among equal rows, which have no suffix, and deletes all others that are free, due or not: they were
 * committed before the one that is kept is dispatched.
 */
const fold = async (em: EntityManager, lease: string, leased: readonly FlatRow[]): Promise<readonly FlatRow[]> => {
  const equal = leased.filter(({ suffix }) => suffix === null);
  if (equal.length === 0) return leased;
  const kept = [...Map.groupBy(equal, ({ topic, subjectId }) => `${topic} ${subjectId}`).values()].flatMap(([row]) => row ?? []);
  await execute(
    em,
    sql`delete from outbox where seq in (
        select o.seq from outbox o
        join unnest(${kept.map(({ topic }) => topic)}::text[], ${kept.map(({ subjectId }) => subjectId)}::uuid[]) as k (topic, subject_id)
          on o.topic = k.topic and o.subject_id = k.subject_id and o.suffix is null
        where o.seq <> all(${kept.map(({ seq }) => seq)})
          and (o.lease_id = ${lease} or o.lease_expires_at is null or o.lease_expires_at < now())
        limit ${MAX_FOLDED} for update of o skip locked)`,
  );
  return leased.filter((row) => row.suffix !== null || kept.includes(row));
};

interface LeaseInput {
  id: string;
  batch: number;
  leaseMs: number;
  reserved: { priority: OutboxPriority; limit: number };
}

/**
 * The reserved rows of a lower priority, then the most urgent ones, the oldest first. Both are reads of `outbox_due`. The array
 * makes the planner expect few rows: joined with the selections, it reads the whole table.
 */
const leaseRows = (em: EntityManager, { id, batch, leaseMs, reserved }: LeaseInput) =>
  rows(
    em,
    sql<FlatRow>`with reserved as materialized (
        select seq from outbox where priority = ${reserved.priority} and ${IS_FREE}
        order by next_attempt_at, seq limit ${reserved.limit} for update skip locked),
      urgent as materialized (
        select seq from outbox where priority = any(${ALL}) and ${IS_FREE} and seq <> all(array(select seq from reserved))
        order by priority, next_attempt_at, seq limit ${batch} - (select count(*) from reserved) for update skip locked)
      update outbox o set lease_expires_at = now() + ${leaseMs} * interval '1 millisecond', lease_id = ${id},
        attempts = attempts + 1
      where o.seq = any(array(select seq from urgent union all select seq from reserved))
      returning o.seq::text as seq, o.topic, o.subject_id as "subjectId", o.suffix, o.payload, o.reconciled,
        o.priority = ${OUTBOX_PRIORITIES.bulk} as bulk, o.trace_parent as "traceParent", o.attempts, o.failures`,
  );

/**
 * A row whose lease id was removed meanwhile was enqueued again, so it stays. Locked rows are left to single statements:
 * whoever locks one may wait for another of this batch.
 */
const deleteDone = async (em: EntityManager, lease: string, done: readonly string[]): Promise<void> => {
  if (done.length === 0) return;
  const deleted = await rows(
    em,
    sql<{ seq: string }>`delete from outbox where seq in (
        select seq from outbox where seq = any(${done}) and lease_id = ${lease} for update skip locked)
      returning seq::text as seq`,
  );
  if (deleted.length === done.length) return;
  const gone = new Set(deleted.map(({ seq }) => seq));
  for (const seq of done.filter((seq) => !gone.has(seq))) {
    const isDeleted = await execute(em, sql`delete from outbox where seq = ${seq} and lease_id = ${lease}`);
    if (!isDeleted) await relayAgain(em, seq);
  }
};

/** Relays the row again: only now, so that two dispatches of one row never overlap. */
const relayAgain = (em: EntityManager, seq: string): Promise<number> =>
  execute(em, sql`update outbox set lease_expires_at = null where seq = ${seq} and lease_id is null`);

/** The error is stored for the operator. One statement per row: failures are rare, and the row may be locked. */
const recordFailures = async (em: EntityManager, lease: string, failures: LeaseResult['failures']): Promise<void> => {
  for (const { seq, error, failures: count, pauseMs, failed } of failures) {
    const isStored = await execute(
      em,
      sql`update outbox set last_error = ${error}, lease_id = null, lease_expires_at = null, failures = ${count},
          failed_at = case when ${failed} then coalesce(failed_at, now()) end,
          next_attempt_at = now() + ${pauseMs} * interval '1 millisecond'
        where seq = ${seq} and lease_id = ${lease}`,
    );
    if (!isStored) await relayAgain(em, seq);
  }
};

/** Other relays may lease these rows at once instead of when the lease ends. Locked ones are left until then. */
const giveUp = async (em: EntityManager, lease: string, untouched: readonly string[]): Promise<void> => {
  if (untouched.length === 0) return;
  await execute(
    em,
    sql`update outbox set lease_expires_at = null, lease_id = null where seq in (
      select seq from outbox where seq = any(${untouched}) and (lease_id is null or lease_id = ${lease})
      for update skip locked)`,
  );
};
