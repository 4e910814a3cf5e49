import type { ErasedPerson } from '../../../contracts/erasure.ts';
import type { Context } from '../../../platform/context.ts';
import { ERASURE_BATCH, type ErasedBatch, eraseInBatches } from '../../../platform/database/erase-in-batches.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

/** The person in events since a time, or in all. */
export const eraseEvents = async (ctx: Context, person: ErasedPerson, since: Date | null): Promise<number> => {
  const { address, ids, members, names } = person;
  const start = await firstRow(ctx.em, sql<{ id: string | null }>`select first_uuid_at(${since?.toISOString() ?? null}) as id`);
  return eraseInBatches(
    (from) =>
      firstRow(
        ctx.em,
        sql<ErasedBatch>`select erased, last_event as last
          from erase_events(${address}, ${ids}, ${members}, ${names}, ${from}, ${ERASURE_BATCH})`,
      ),
    start?.id,
  );
};

/** What receivers returned, where it repeats the address. */
export const eraseExcerpts = (ctx: Context, { address }: ErasedPerson): Promise<number> =>
  eraseInBatches((from) =>
    firstRow(
      ctx.em,
      sql<ErasedBatch>`select erased, last_delivery as last from erase_excerpts(${address}, ${from}, ${ERASURE_BATCH})`,
    ),
  );
