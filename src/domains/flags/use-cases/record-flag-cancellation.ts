import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';

/**
 * Notes that the cancellation of the flag's workflow was requested in Temporal, which has no effect: only the API and the
 * deadline resolve flags.
 */
export const recordFlagCancellation = async (ctx: Context, { flagId }: { flagId: string }): Promise<void> => {
  const now = ctx.clock.now().toISOString();
  await execute(ctx.em, sql`update flag set cancellation_ignored_at = ${now}::timestamptz where id = ${flagId}::uuid`);
};
