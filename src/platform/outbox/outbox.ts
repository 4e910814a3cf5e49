import {
  OUTBOX_PRIORITIES,
  type OutboxMessage,
  type OutboxPayloads,
  type OutboxPriority,
  type OutboxTopic,
  TOPIC_PRIORITIES,
} from '../../contracts/outbox.ts';
import { after, SECOND_MS } from '../clock.ts';
import { type Context, inTransaction } from '../context.ts';
import { compileOnce, type Given } from '../database/compiled.ts';
import { type Expression, execute, type FieldsOf, type RawBuilder, sql, statementOf } from '../database/sql.ts';
import { columnsFrom, type Lists, tableOf } from '../database/table.ts';
import { currentTraceParent } from '../tracing/trace-parent.ts';

// Templates: domains enqueue expressions over their own tables, which the platform does not know.

const snapshotVersion = (row: 'excluded' | 'outbox') => sql`(${sql.ref(row)}.payload #>> '{snapshot,version}')::int`;

/** Writers wait for each other only at the row, so the one that comes last may have the older snapshot. */
const NEWEST = sql`case when ${snapshotVersion('excluded')} < ${snapshotVersion('outbox')} then outbox.payload else excluded.payload end`;

/**
 * One waiting row is enough, with the newest payload. A row that is being relayed may have been read too early: without its
 * lease id it is kept, and relayed again as soon as its relay is done with it. A row that had failed is tried again.
 */
const ON_CONFLICT = sql`on conflict (topic, subject_id, suffix) do update set payload = ${NEWEST}, lease_id = null,
    failures = case when outbox.failed_at is null then outbox.failures else 0 end, failed_at = null,
    priority = least(outbox.priority, excluded.priority), not_before = least(outbox.not_before, excluded.not_before),
    next_attempt_at = least(outbox.next_attempt_at, excluded.next_attempt_at)
  where outbox.lease_id is not null or outbox.failed_at is not null or outbox.payload <> ${NEWEST}
    or outbox.priority > excluded.priority or outbox.not_before > excluded.not_before`;

const priorityOf = ({ topic, bulk }: { topic: OutboxTopic; bulk?: boolean | undefined }): OutboxPriority =>
  bulk ? OUTBOX_PRIORITIES.bulk : TOPIC_PRIORITIES[topic];

const COLUMNS = {
  topic: 'text',
  priority: 'smallint',
  subjectId: 'uuid',
  suffix: 'text',
  payload: 'text',
  reconciled: 'boolean',
  notBefore: 'timestamptz',
} as const;

type Row = { [Name in keyof typeof COLUMNS]: unknown };

const insertMessages = compileOnce(({ traceParent, ...rows }: Given<Lists<Row> & { traceParent: string | null }>) =>
  statementOf(sql`insert into outbox (topic, priority, subject_id, suffix, payload, reconciled, trace_parent, not_before, next_attempt_at)
    select topic, priority, subject_id, suffix, payload::jsonb, reconciled, ${traceParent}::text,
      coalesce(row.not_before, now()), coalesce(row.not_before, now())
    from ${tableOf(rows, COLUMNS, 'row')} ${ON_CONFLICT}`),
);

/** Adds rows for the relay, in the caller's transaction. Does nothing while an equal row is waiting. Several messages are different rows. */
export const enqueue = async (ctx: Context, messages: OutboxMessage | readonly OutboxMessage[]): Promise<void> => {
  const rows = [messages].flat().map((message) => ({
    topic: message.topic,
    priority: priorityOf(message),
    subjectId: message.subjectId,
    suffix: message.suffix,
    payload: JSON.stringify(message.payload),
    reconciled: message.reconciled ?? false,
    notBefore: message.notBefore?.toISOString(),
  }));
  await execute(ctx.em, insertMessages({ ...columnsFrom(rows, COLUMNS), traceParent: currentTraceParent() }));
};

/** Rows of a query as messages of one topic: `subjectId` and the payload's fields are expressions over `from`. */
export interface OutboxSelection<T extends OutboxTopic> {
  topic: T;
  suffix: string | RawBuilder<unknown>;
  subjectId: Expression<unknown>;
  payload: Readonly<Record<keyof OutboxPayloads[T] & string, Expression<unknown>>>;
  from: RawBuilder<unknown>;
  /** As in `OutboxMessage`. Select at most `BULK_CHUNK` rows. */
  bulk?: boolean;
  /** A timestamp over `from`. Default: now. */
  notBefore?: RawBuilder<unknown>;
}

/** `{name: expression, …}` as an expression of type jsonb. */
export const jsonOf = <T>(fields: FieldsOf<T>): RawBuilder<T> =>
  sql`jsonb_build_object(${sql.join(Object.entries<Expression<unknown>>(fields).flatMap(([name, value]) => [sql.lit(name), value]))})`;

/** The insert of many rows, as the last part of a statement: `enqueue` for each row of `from`. */
export const enqueueEach = <T extends OutboxTopic>(selection: OutboxSelection<T>): RawBuilder<unknown> => {
  const notBefore = selection.notBefore ?? sql`now()`;
  return sql`insert into outbox (topic, priority, subject_id, suffix, payload, trace_parent, not_before, next_attempt_at)
    select ${selection.topic}, ${priorityOf(selection)}::smallint, ${selection.subjectId}, ${selection.suffix},
      ${jsonOf(selection.payload)}, ${currentTraceParent()}::text, ${notBefore}, ${notBefore}
    from ${selection.from} ${ON_CONFLICT}`;
};

/** Rows that one transaction of bulk work enqueues at most. */
export const BULK_CHUNK = 1_000;

/** Rows that one action makes due per second: rows of other tenants are relayed between them. */
const ROWS_PER_SECOND = 500;

export interface BulkChunk {
  /** Rows to enqueue at most. */
  limit: number;
  /** When the row at a position of this chunk, counted from 0, is due. */
  notBefore(position: RawBuilder<unknown>): RawBuilder<unknown>;
}

/**
 * Enqueues any number of rows in transactions of at most `BULK_CHUNK`, with due times that follow each other, until a chunk
 * is not full. Must not be called inside a transaction. After a crash, the next call continues where the last one ended.
 * Returns the number of rows.
 */
export const enqueueInChunks = async (
  ctx: Context,
  enqueueChunk: (ctx: Context, chunk: BulkChunk) => Promise<number>,
): Promise<number> => {
  if (ctx.em.isInTransaction()) throw new Error('Bulk work needs a transaction for each chunk');
  const startsAt = ctx.clock.now();
  for (let enqueued = 0; ; ) {
    const from = after(startsAt, (enqueued / ROWS_PER_SECOND) * SECOND_MS).toISOString();
    const notBefore = (position: RawBuilder<unknown>) =>
      sql`${from}::timestamptz + (${position}) * ${SECOND_MS / ROWS_PER_SECOND}::float8 * interval '1 millisecond'`;
    const inserted = await inTransaction(ctx, (ctx) => enqueueChunk(ctx, { limit: BULK_CHUNK, notBefore }));
    enqueued += inserted;
    if (inserted < BULK_CHUNK) return enqueued;
  }
};
