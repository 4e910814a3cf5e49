import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { ErasedProfile } from '../../platform/erasure.ts';

export const eraseApplications = (ctx: Context, { profileId, terms }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    sql`update application set message = case when message is not null then '[erased]' end,
        note = without_terms(note, ${terms}::text[]), search_text = '', updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where profile_id = ${profileId}::uuid`,
  );
