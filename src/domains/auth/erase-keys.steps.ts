import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';

/** Revokes the keys of a profile and forgets where they were used. Returns the number of keys, which end on all processes after the commit. */
export const eraseKeys = async (ctx: Context, { profileId }: { profileId: string }): Promise<number> => {
  await firstRow(ctx.em, sql`select erase_sessions(${profileId}::uuid)`);
  const keys = await rows(
    ctx.em,
    sql<{ id: string }>`update api_key set name = '[erased]',
        revoked_at = coalesce(revoked_at, ${ctx.clock.now().toISOString()}::timestamptz)
      where owner_id = ${profileId}::uuid returning id`,
  );
  for (const { id } of keys) ctx.broadcasts.push({ channel: 'key-changed', text: id });
  return keys.length;
};
