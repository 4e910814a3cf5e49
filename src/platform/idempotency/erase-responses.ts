import type { Context } from '../context.ts';
import { firstRow, sql } from '../database/sql.ts';
import type { ErasedPerson } from '../erasure.ts';

/** Stored for a day at most: one statement. Returns how many changed. */
export const eraseResponses = async (ctx: Context, { address, members, names }: ErasedPerson): Promise<number> =>
  (
    await firstRow(
      ctx.em,
      sql<{ count: number }>`select erase_responses(${address}, ${members}::text[], ${names}::text[]) as count`,
    )
  )?.count ?? 0;
