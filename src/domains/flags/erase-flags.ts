import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { ErasedProfile } from '../../platform/erasure.ts';

/** A template: a test reads which columns it replaces. */
export const eraseFlags = (ctx: Context, { members, terms, words }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    sql`update flag set note = without_terms(note, ${words}), details = without_names(details::text, ${terms})::jsonb
      where affiliate_id = any(${members})`,
  );
