import type { Context } from '../../platform/context.ts';
import { execute } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/**
 * Takes an affiliate back to the tier of new ones. The record counts anew for a new one too: otherwise, it would raise the tier
 * again within the hour. The caller holds the membership's lock for a change.
 */
export const resetTrust = async (ctx: Context, affiliateId: string): Promise<void> => {
  const now = ctx.clock.now().toISOString();
  await execute(
    ctx.em,
    db.updateTable('affiliate').set({ trustTier: 'new', trustResetAt: now, updatedAt: now }).where('id', '=', affiliateId),
  );
};
