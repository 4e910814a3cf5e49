import { OUTBOX_TOPICS, type OutboxTopic } from '../../contracts/outbox.ts';
import type { Context } from '../context.ts';
import { execute, rows, sql } from '../database/sql.ts';

/** How far behind the relay is with one topic. */
export interface TopicHealth {
  /** Topics of a newer version are included. */
  topic: OutboxTopic | (string & {});
  /** Rows that are due. */
  waiting: number;
  /** How long the oldest waiting row has been due. 0 if none waits. */
  oldestSeconds: number;
  /** Rows whose time has not come. */
  scheduled: number;
  /** Rows that are set apart after repeated failures: they count as neither. */
  failed: number;
}

/**
 * One entry for each known topic, and for each other one with rows. Times are stored with milliseconds, so the current time
 * is rounded too: otherwise an age could be too low by half a millisecond, or negative.
 */
export const readOutboxHealth = async ({ em }: Pick<Context, 'em'>): Promise<TopicHealth[]> => {
  const found = await rows(
    em,
    sql<TopicHealth>`select topic,
        count(*) filter (where is_waiting)::int as waiting,
        coalesce(extract(epoch from now()::timestamptz(3) - min(not_before) filter (where is_waiting)), 0)::float8 as "oldestSeconds",
        count(*) filter (where failed_at is null and not is_waiting)::int as scheduled,
        count(failed_at)::int as failed
      from (select topic, not_before, failed_at, failed_at is null and not_before <= now()::timestamptz(3) as is_waiting
        from outbox) outbox
      group by topic order by topic`,
  );
  const none = { waiting: 0, oldestSeconds: 0, scheduled: 0, failed: 0 };
  const missing = OUTBOX_TOPICS.filter((topic) => !found.some((row) => row.topic === topic));
  return [...found, ...missing.map((topic) => ({ topic, ...none }))];
};

/** A row that is set apart. */
export interface FailedOutboxRow {
  seq: string;
  topic: string;
  subjectId: string;
  suffix: string;
  attempts: number;
  createdAt: string;
  failedAt: string;
  nextAttemptAt: string;
  lastError: string;
}

/** The oldest first. */
export const listFailedOutboxRows = ({ em }: Pick<Context, 'em'>, { limit }: { limit: number }): Promise<FailedOutboxRow[]> =>
  rows(
    em,
    sql<FailedOutboxRow>`select seq::text as seq, topic, subject_id as "subjectId", suffix, attempts, created_at as "createdAt",
        failed_at as "failedAt", next_attempt_at as "nextAttemptAt", last_error as "lastError"
      from outbox where failed_at is not null order by seq limit ${limit}`,
  );

/** Makes failed rows wait again: that with a `seq`, those of a topic, or all of them. Returns their number. */
export const retryFailedOutboxRows = (
  { em }: Pick<Context, 'em'>,
  { seq = null, topic = null }: { seq?: string | null | undefined; topic?: string | null | undefined },
): Promise<number> =>
  execute(
    em,
    sql`update outbox set failed_at = null, failures = 0, next_attempt_at = now()
      where failed_at is not null and seq = coalesce(${seq}::bigint, seq) and topic = coalesce(${topic}::text, topic)`,
  );
