import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

/** Takes an affiliate back to the tier of new ones. The caller holds the membership's lock for a change. */
export const resetTrust = async (ctx: Context, affiliateId: string): Promise<void> => {
  await execute(
    ctx.em,
    sql`update affiliate set trust_tier = 'new', updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where id = ${affiliateId}::uuid and trust_tier <> 'new'`,
  );
};
