import type { OutboxMessage, OutboxTopic } from '../../contracts/outbox.ts';
import { type FieldsOf, firstRow, type RawBuilder, rows, sql } from '../database/sql.ts';
import { FIRST_ID } from '../ids.ts';
import { enqueue, jsonOf } from './outbox.ts';
import type { UnfinishedWorkSource } from './unfinished-work.ts';

/** Rows with a workflow each, which is started with a payload of the row. Expressions are over `from`. */
export interface UnfinishedRows<Payload> {
  name: string;
  from: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  isUnfinished: RawBuilder<unknown>;
  changedAt: RawBuilder<unknown>;
  /** Of outbox rows that start the workflow: while one waits, nothing is missing. */
  topics: readonly OutboxTopic[];
  payload: FieldsOf<Payload>;
  messageOf(payload: Payload): OutboxMessage;
  workflowIdOf(id: string): string;
}

export const unfinishedRows = <Payload>(of: UnfinishedRows<Payload>): UnfinishedWorkSource => ({
  name: of.name,
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<{ id: string; payload: Payload }>`select ${of.id} as id, ${jsonOf(of.payload)} as payload from ${of.from}
        where ${of.isUnfinished} and ${of.id} > ${after ?? FIRST_ID}::uuid and ${of.changedAt} < ${before.toISOString()}::timestamptz
          and not exists (select 1 from outbox o where o.topic = any(${of.topics}::text[]) and o.subject_id = ${of.id})
        order by ${of.id} limit ${limit}`,
    );
    return found.map(({ id, payload }) => ({
      id,
      workflowIds: [of.workflowIdOf(id)],
      message: { ...of.messageOf(payload), reconciled: true },
    }));
  },
  async restart(ctx, { id, message }) {
    const row = await firstRow(ctx.em, sql`select 1 from ${of.from} where ${of.id} = ${id}::uuid and ${of.isUnfinished}`);
    if (row) await enqueue(ctx, message);
  },
});
