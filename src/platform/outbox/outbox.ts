import type { OutboxMessage, OutboxPayloads, OutboxTopic } from '../../contracts/outbox.ts';
import type { Context } from '../context.ts';
import { execute, type RawBuilder, sql } from '../database/sql.ts';
import { currentTraceParent } from '../tracing/trace-parent.ts';

/** One waiting row is enough. A row that is being relayed may have been read too early, so it is relayed again. */
const ON_CONFLICT = sql`on conflict (topic, subject_id, suffix) do update set lease_expires_at = null, lease_id = null
  where outbox.lease_id is not null`;

/** Adds a row for the relay, in the caller's transaction. Does nothing while an equal row is waiting. */
export const enqueue = async (ctx: Context, message: OutboxMessage): Promise<void> => {
  await execute(
    ctx.em,
    sql`insert into outbox (topic, subject_id, suffix, payload, reconciled, trace_parent) values
      (${message.topic}, ${message.subjectId}::uuid, ${message.suffix}, ${JSON.stringify(message.payload)}::jsonb,
       ${message.reconciled ?? false}, ${currentTraceParent()})
      ${ON_CONFLICT}`,
  );
};

/** Rows of a query as messages of one topic: `subjectId` and the payload's fields are expressions over `from`. */
export interface OutboxSelection<T extends OutboxTopic> {
  topic: T;
  suffix: string | RawBuilder<unknown>;
  subjectId: RawBuilder<unknown>;
  payload: Readonly<Record<keyof OutboxPayloads[T] & string, RawBuilder<unknown>>>;
  from: RawBuilder<unknown>;
}

/** `{name: expression, …}` as an expression of type jsonb. */
export const jsonOf = (fields: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> =>
  sql`jsonb_build_object(${sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]))})`;

/** The insert of many rows, as the last part of a statement: `enqueue` for each row of `from`. */
export const enqueueEach = <T extends OutboxTopic>(selection: OutboxSelection<T>): RawBuilder<unknown> =>
  sql`insert into outbox (topic, subject_id, suffix, payload, trace_parent)
    select ${selection.topic}, ${selection.subjectId}, ${selection.suffix}, ${jsonOf(selection.payload)},
      ${currentTraceParent()}::text
    from ${selection.from} ${ON_CONFLICT}`;
