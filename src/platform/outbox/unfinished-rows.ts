import type { OutboxMessage, OutboxTopic } from '../../contracts/outbox.ts';
import type { Context } from '../context.ts';
import { type FieldsOf, firstRow, type RawBuilder, rows, sql } from '../database/sql.ts';
import { FIRST_ID } from '../ids.ts';
import { enqueue, jsonOf } from './outbox.ts';

/** Rows with a workflow each, which is started with a payload of the row. Expressions are over `from`. */
interface UnfinishedRows<Payload> {
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

/** Something that is not final and that no outbox row waits for. */
export interface UnfinishedWork {
  /** Its id: the cursor of `list`. */
  id: string;
  /** Workflows of which one has to be open. */
  workflowIds: readonly string[];
  /** Starts its workflow again. */
  message: OutboxMessage;
}

/** One kind of work that a workflow carries out. Domains declare theirs; `src/runtime.ts` lists them. */
export interface UnfinishedWorkSource {
  name: string;
  /** Whether its workflow ids get the prefix of the installation. */
  isPrefixed?: boolean;
  /** In the order of ids, after `after`. Leaves out what changed after `before`: its workflow may not be started yet. */
  list(ctx: Context, page: { after: string | null; before: Date; limit: number }): Promise<UnfinishedWork[]>;
  /** Enqueues the start in the caller's transaction, unless the work ended meanwhile. */
  restart(ctx: Context, work: UnfinishedWork): Promise<void>;
}
