import type { OutboxMessage, OutboxPayloads, OutboxTopic } from '../../contracts/outbox.ts';
import type { Context } from '../context.ts';
import { type FieldsOf, firstRow, type RawBuilder, rows, sql } from '../database/sql.ts';
import { FIRST_ID } from '../ids.ts';
import { enqueue, jsonOf } from './outbox.ts';

/** Rows with a workflow each. Expressions are over `from`. */
interface UnfinishedRows<T extends OutboxTopic> {
  name: string;
  from: RawBuilder<unknown>;
  /** Used as the subject of the outbox row, too. */
  id: RawBuilder<unknown>;
  isUnfinished: RawBuilder<unknown>;
  changedAt: RawBuilder<unknown>;
  payload: FieldsOf<OutboxPayloads[T]>;
  /** Suffix of the outbox row that starts the workflow. Default: none. */
  suffix?: RawBuilder<unknown>;
  /** Suffix of the workflow that should be open, if another one is started in its place. */
  openSuffix?: RawBuilder<unknown>;
  /** While an outbox row `o` of one of these topics waits, nothing is missing. Default: the topic that starts the workflow. */
  queuedAs?: readonly OutboxTopic[];
  /** Which outbox rows `o` are meant. Default: all with these topics. */
  isQueued?: RawBuilder<unknown>;
  /** Returns a row if the work is still unfinished and may be started with this suffix. Default: reads `isUnfinished`. */
  lock?(id: string, suffix: string | null): RawBuilder<unknown>;
}

type Found<T extends OutboxTopic> = Pick<OutboxMessage<T>, 'subjectId' | 'suffix' | 'payload'> & { openSuffix: string };

/** Rows whose workflow a message of its descriptor's topic starts. */
export const unfinishedRows = <T extends OutboxTopic>(
  { topics }: { topics: { start: T } },
  of: UnfinishedRows<T>,
): UnfinishedWorkSource => {
  const { from, id, isUnfinished, suffix = sql`''`, openSuffix = suffix, queuedAs = [topics.start], isQueued = sql`true` } = of;
  return {
    name: of.name,
    async list(ctx, { after, before, limit, ids }) {
      const found = await rows(
        ctx.em,
        sql<
          Found<T>
        >`select ${id} as "subjectId", ${suffix} as suffix, ${openSuffix} as "openSuffix", ${jsonOf(of.payload)} as payload
          from ${from}
          where ${isUnfinished} and ${id} > ${after ?? FIRST_ID} and ${of.changedAt} < ${before.toISOString()}
            ${ids ? sql`and ${id} = any(${ids}::uuid[])` : sql``}
            and not exists (
              select 1 from outbox o where o.topic = any(${queuedAs}) and o.subject_id = ${id} and ${isQueued})
          order by ${id} limit ${limit}`,
      );
      return found.map(({ openSuffix, ...row }) => {
        // The compiler does not see that topic and payload belong together.
        const message = { ...row, topic: topics.start, reconciled: true } as OutboxMessage;
        return { id: row.subjectId, openSuffix, message };
      });
    },
    async restart(ctx, work) {
      const row = await firstRow(
        ctx.em,
        of.lock?.(work.id, work.message.suffix) ?? sql`select 1 from ${from} where ${id} = ${work.id} and ${isUnfinished}`,
      );
      if (row) await enqueue(ctx, work.message);
    },
  };
};

/** Something that is not final and that no outbox row waits for. */
export interface UnfinishedWork {
  /** Its id: the cursor of `list`. */
  id: string;
  /** Starts its workflow again. */
  message: OutboxMessage;
  /** Suffix of the workflow that should be open, if it is not the message's. */
  openSuffix?: string;
}

/** One kind of work that a workflow carries out. Domains declare theirs; `src/runtime.ts` lists them. */
export interface UnfinishedWorkSource {
  name: string;
  /**
   * Sorted by id, after `after`. Leaves out what changed after `before`: its workflow may not be started yet. `ids`: only these,
   * where that is less work.
   */
  list(
    ctx: Context,
    page: { after: string | null; before: Date; limit: number; ids?: readonly string[] },
  ): Promise<UnfinishedWork[]>;
  /** Enqueues the start in the caller's transaction, unless the work ended meanwhile. */
  restart(ctx: Context, work: UnfinishedWork): Promise<void>;
}
