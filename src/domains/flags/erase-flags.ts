import type { FlagDetails } from '../../contracts/flags.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import type { ErasedProfile } from '../../platform/erasure.ts';
import { db } from '../tables.ts';

export const eraseFlags = (ctx: Context, { members, terms }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    db
      .updateTable('flag')
      .set({
        note: sql`without_terms(note, ${terms})`,
        details: sql<FlagDetails>`without_names(details::text, ${terms})::jsonb`,
      })
      .where('affiliateId', '=', anyOf(members)),
  );
