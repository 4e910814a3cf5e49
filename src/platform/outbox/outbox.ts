import {
  OUTBOX_PRIORITIES,
  type OutboxMessage,
  type OutboxPayloads,
  type OutboxPriority,
  type OutboxTopic,
  TOPIC_PRIORITIES,
} from '../../contracts/outbox.ts';
import type { Context } from '../context.ts';
import { execute, type RawBuilder, sql } from '../database/sql.ts';
import { currentTraceParent } from '../tracing/trace-parent.ts';

/**
 * One waiting row is enough, with the newest payload. A row that is being relayed may have been read too early: without its
 * lease id it is kept, and relayed again as soon as its relay is done with it. A row that had failed is tried again.
 */
const ON_CONFLICT = sql`on conflict (topic, subject_id, suffix) do update set payload = excluded.payload, lease_id = null,
    failures = 0, failed_at = null, priority = least(outbox.priority, excluded.priority),
    not_before = least(outbox.not_before, excluded.not_before),
    next_attempt_at = least(outbox.next_attempt_at, excluded.next_attempt_at)
  where outbox.lease_id is not null or outbox.failures > 0 or outbox.payload <> excluded.payload
    or outbox.priority > excluded.priority or outbox.not_before > excluded.not_before`;

const priorityOf = ({ topic, bulk }: { topic: OutboxTopic; bulk?: boolean | undefined }): OutboxPriority =>
  bulk ? OUTBOX_PRIORITIES.bulk : TOPIC_PRIORITIES[topic];

/** Adds a row for the relay, in the caller's transaction. Does nothing while an equal row is waiting. */
export const enqueue = async (ctx: Context, message: OutboxMessage): Promise<void> => {
  const notBefore = sql`coalesce(${message.notBefore?.toISOString() ?? null}::timestamptz, now())`;
  await execute(
    ctx.em,
    sql`insert into outbox (topic, priority, subject_id, suffix, payload, reconciled, trace_parent, not_before, next_attempt_at)
      values (${message.topic}, ${priorityOf(message)}, ${message.subjectId}::uuid, ${message.suffix},
       ${JSON.stringify(message.payload)}::jsonb, ${message.reconciled ?? false}, ${currentTraceParent()},
       ${notBefore}, ${notBefore})
      ${ON_CONFLICT}`,
  );
};

/** Rows of a query as messages of one topic: `subjectId` and the payload's fields are expressions over `from`. */
export interface OutboxSelection<T extends OutboxTopic> {
  topic: T;
  suffix: string;
  subjectId: RawBuilder<unknown>;
  payload: Readonly<Record<keyof OutboxPayloads[T] & string, RawBuilder<unknown>>>;
  from: RawBuilder<unknown>;
  /** As in `OutboxMessage`. Select at most `BULK_CHUNK` rows, see `bulk.ts`. */
  bulk?: boolean;
  /** A timestamp over `from`. Default: now. */
  notBefore?: RawBuilder<unknown>;
}

/** `{name: expression, …}` as an expression of type jsonb. */
export const jsonOf = (fields: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> =>
  sql`jsonb_build_object(${sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]))})`;

/** The insert of many rows, as the last part of a statement: `enqueue` for each row of `from`. */
export const enqueueEach = <T extends OutboxTopic>(selection: OutboxSelection<T>): RawBuilder<unknown> => {
  const notBefore = selection.notBefore ?? sql`now()`;
  return sql`insert into outbox (topic, priority, subject_id, suffix, payload, trace_parent, not_before, next_attempt_at)
    select ${selection.topic}, ${priorityOf(selection)}::smallint, ${selection.subjectId}, ${selection.suffix},
      ${jsonOf(selection.payload)}, ${currentTraceParent()}::text, ${notBefore}, ${notBefore}
    from ${selection.from} ${ON_CONFLICT}`;
};
