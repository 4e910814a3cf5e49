import type { ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

export const eraseLinks = (ctx: Context, { members }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    sql`update link set name = '[erased]', updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where affiliate_id = any(${members}::uuid[])`,
  );
