import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { signalEach } from '../application-workflow.ts';

/**
 * Withdraws the pending applications of a person and tells their workflows. Returns their number; the second call finds none. The
 * caller holds the lock of the profile, so that none is submitted or approved meanwhile. A template: it changes rows in a common table
 * expression.
 */
export const withdrawAllApplications = (ctx: Context, { profileId }: { profileId: string }): Promise<number> => {
  const at = ctx.clock.now().toISOString();
  return execute(
    ctx.em,
    sql`with a as (
        update application set status = 'withdrawn', decided_at = ${at}, updated_at = ${at}
        where profile_id = ${profileId} and status = 'pending' returning *)
      ${signalEach(sql`a join program g on g.id = a.program_id`)}`,
  );
};
