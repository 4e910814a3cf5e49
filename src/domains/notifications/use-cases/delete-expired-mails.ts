import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

/** Deletes up to `limit` mails that were sent or given up and are older than 90 days; returns how many. */
export const deleteExpiredMails = async (ctx: Context, { limit }: { limit: number }): Promise<number> =>
  (await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_mails(${limit}) as deleted`))?.deleted ?? 0;
