import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

/**
 * Deletes up to `limit` notifications of providers that were handled more than 400 days ago, and as many answers of theirs that are as old;
 * returns how many of the kind of which there were more.
 */
export const deleteExpiredNotifications = async (ctx: Context, { limit }: { limit: number }): Promise<number> =>
  (await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_notifications(${limit}) as deleted`))?.deleted ?? 0;
