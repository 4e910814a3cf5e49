import type { ErasedPerson, ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { Application } from './application.entity.ts';
import { signalEach } from './application-workflow.steps.ts';
import { emitApplication } from './decision.steps.ts';

export const eraseApplications = (ctx: Context, { profileId, terms }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    sql`update application set message = case when message is not null then '[erased]' end,
        answers = null,
        note = without_terms(note, ${terms}::text[]), search_text = '', updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where profile_id = ${profileId}::uuid`,
  );

/**
 * Withdraws the pending applications of a person and tells their workflows. Returns their number; the second call finds none. The
 * caller holds the lock of the profile, so that none is submitted or approved meanwhile. A template: it changes rows in a common table
 * expression.
 */
export const withdrawAllApplications = async (ctx: Context, { profileId }: { profileId: string }): Promise<number> => {
  const decidedAt = ctx.clock.now();
  const at = decidedAt.toISOString();
  const count = await execute(
    ctx.em,
    sql`with a as (
        update application set status = 'withdrawn', decided_at = ${at}, updated_at = ${at}
        where profile_id = ${profileId} and status = 'pending' returning *)
      ${signalEach(sql`a join program g on g.id = a.program_id`)}`,
  );
  const withdrawn = { profileId, status: 'withdrawn', decidedAt } as const;
  const found = count === 0 ? [] : await ctx.em.find(Application, withdrawn, { refresh: true, orderBy: { id: 'asc' } });
  for (const application of found) await emitApplication(ctx, 'application.decided', application);
  return count;
};

/** The person in notes on applications of others; returns how many. */
export const eraseApplicationMentions = (ctx: Context, { address, names, merchants }: ErasedPerson): Promise<number> =>
  execute(
    ctx.em,
    sql`update application set note = without_terms(note, mentions(${address}, ${names}::text[], merchant_id = any(${merchants}::uuid[])))
      where names_term(note, mentions(${address}, ${names}::text[], merchant_id = any(${merchants}::uuid[])))`,
  );
