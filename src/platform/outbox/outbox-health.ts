import { OUTBOX_TOPICS, type OutboxTopic } from '../../contracts/outbox.ts';
import { recordInstallationChange } from '../audit-log/record-change.ts';
import { type Context, inTransaction } from '../context.ts';
import { execute, rows, sql } from '../database/sql.ts';
import { db } from '../tables.ts';

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

/** Times are stored with milliseconds: otherwise an age could be too low by half a millisecond, or negative. */
const NOW = sql`now()::timestamptz(3)`;

/** One entry for each known topic, and for each other one with rows. */
export const readOutboxHealth = async ({ em }: Pick<Context, 'em'>): Promise<TopicHealth[]> => {
  const found = await rows(
    em,
    db
      .selectFrom(({ selectFrom }) =>
        selectFrom('outbox')
          .select(['topic', 'notBefore', 'failedAt'])
          .select(sql<boolean>`failed_at is null and not_before <= ${NOW}`.as('isWaiting'))
          .as('outbox'),
      )
      .select(({ fn }) => [
        'topic',
        fn.countAll<number>().filterWhere('isWaiting', '=', true).as('waiting'),
        sql<number>`coalesce(extract(epoch from ${NOW} - min(not_before) filter (where is_waiting)), 0)`.as('oldestSeconds'),
        fn.countAll<number>().filterWhere('failedAt', 'is', null).filterWhere('isWaiting', '=', false).as('scheduled'),
        fn.count<number>('failedAt').as('failed'),
      ])
      .groupBy('topic')
      .orderBy('topic'),
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
  suffix: string | null;
  attempts: number;
  createdAt: string;
  failedAt: string | null;
  nextAttemptAt: string;
  lastError: string | null;
}

/** The oldest first. */
export const listFailedOutboxRows = ({ em }: Pick<Context, 'em'>, { limit }: { limit: number }): Promise<FailedOutboxRow[]> =>
  rows(
    em,
    db
      .selectFrom('outbox')
      .select(sql<string>`seq::text`.as('seq'))
      .select(['topic', 'subjectId', 'suffix', 'attempts', 'createdAt', 'failedAt', 'nextAttemptAt', 'lastError'])
      .where('failedAt', 'is not', null)
      .orderBy('outbox.seq')
      .limit(limit),
  );

/** Makes failed rows wait again: that with a `seq`, those of a topic, or all of them. Returns their number. */
export const retryFailedOutboxRows = (
  ctx: Context,
  { seq, topic }: { seq?: string | undefined; topic?: string | undefined },
): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const retried = await execute(ctx.em, retryOf({ seq, topic }));
    const after = { retried, seq, topic };
    if (retried > 0) await recordInstallationChange(ctx, { action: 'installation.outbox_retried', after });
    return retried;
  });

const retryOf = ({ seq, topic }: { seq?: string | undefined; topic?: string | undefined }) => {
  let update = db
    .updateTable('outbox')
    .set({ failedAt: null, failures: 0, nextAttemptAt: sql<string>`now()` })
    .where('failedAt', 'is not', null);
  if (seq !== undefined) update = update.where('seq', '=', sql<number>`${seq}`);
  if (topic !== undefined) update = update.where('topic', '=', sql<OutboxTopic>`${topic}`);
  return update;
};
