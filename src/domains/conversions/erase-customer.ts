import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import {
  ERASURE_BATCH,
  type ErasedBatch,
  type ErasedPerson,
  type ErasedProfile,
  eraseInBatches,
} from '../../platform/erasure.ts';

/** What merchants wrote about the person in adjustments. */
export const eraseAdjustmentNotes = async (ctx: Context, { members, words }: ErasedProfile): Promise<void> => {
  await firstRow(ctx.em, sql`select erase_adjustment_notes(${members}::uuid[], ${words}::text[])`);
  await execute(
    ctx.em,
    sql`update adjustment_request set note = without_terms(note, ${words}::text[]) where affiliate_id = any(${members}::uuid[])`,
  );
};

/** What operators wrote about the person in problems with sales. */
export const eraseProblemNotes = (ctx: Context, address: string): Promise<number> =>
  execute(
    ctx.em,
    sql`update sale_problem set note = without_terms(note, array[${address}]) where names_term(note, array[${address}])`,
  );

/** The person as a customer, in sales and their clicks. */
export const eraseSales = (ctx: Context, { address, digest, ids }: ErasedPerson, pseudonym: string): Promise<number> =>
  eraseInBatches((from) =>
    firstRow(
      ctx.em,
      sql<ErasedBatch>`select erased, last_sale as last
        from erase_customer(${address}, ${digest}, ${ids}::text[], ${pseudonym}, ${from}::uuid, ${ERASURE_BATCH})`,
    ),
  );

/** As `eraseSales`, in sign-ups. */
export const eraseSignUps = (ctx: Context, { digest, ids }: ErasedPerson, pseudonym: string): Promise<number> =>
  eraseInBatches((from) =>
    firstRow(
      ctx.em,
      sql<ErasedBatch>`select erased, last_row as last
        from erase_identifications(${digest}, ${ids}::text[], ${pseudonym}, ${from}::uuid, ${ERASURE_BATCH})`,
    ),
  );
