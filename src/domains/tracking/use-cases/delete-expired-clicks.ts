import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

/**
 * Deletes up to `limit` numbers of clicks and conversions that no fraud rule compares any more, then clicks that are past the
 * cookie window of their program and 30 days; returns how many. 0: none are left. Each statement looks at 100 programs.
 */
export const deleteExpiredClicks = async (ctx: Context, { limit }: { limit: number }): Promise<number> => {
  const windows = await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_windows(${limit}) as deleted`);
  if (windows && windows.deleted > 0) return windows.deleted;
  let after: string | null = null;
  do {
    const page: { deleted: number; last: string | null } | null = await firstRow(
      ctx.em,
      sql<{ deleted: number; last: string | null }>`
        select deleted, last_program as last from delete_expired_clicks(${after}, ${limit})`,
    );
    if (page && page.deleted > 0) return page.deleted;
    after = page?.last ?? null;
  } while (after !== null);
  return 0;
};
