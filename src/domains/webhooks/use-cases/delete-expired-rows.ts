import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

/** Deletes up to `limit` expired rows of each table that no partition of a month holds; returns how many in total. */
export const deleteExpiredRows = async (ctx: Context, { limit }: { limit: number }): Promise<number> =>
  (await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_webhook_rows(${limit}) as deleted`))?.deleted ?? 0;
