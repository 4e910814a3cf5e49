import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

/** Deletes up to `limit` notifications of providers that were handled more than 400 days ago; returns how many. */
export const deleteExpiredNotifications = async (ctx: Context, { limit }: { limit: number }): Promise<number> =>
  (await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_notifications(${limit}) as deleted`))?.deleted ?? 0;
