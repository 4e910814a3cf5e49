import type { ErasedPerson, ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

/** A template: a test reads which columns it replaces. */
export const eraseFlags = (ctx: Context, { members, terms, words }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    sql`update flag set note = without_terms(note, ${words}), details = without_names(details::text, ${terms})::jsonb
      where affiliate_id = any(${members})`,
  );

/** The person in notes on flags of others; returns how many. */
export const eraseFlagMentions = (ctx: Context, { address, names, merchants }: ErasedPerson): Promise<number> =>
  execute(
    ctx.em,
    sql`update flag set note = without_terms(note, mentions(${address}, ${names}::text[], merchant_id = any(${merchants}::uuid[])))
      where names_term(note, mentions(${address}, ${names}::text[], merchant_id = any(${merchants}::uuid[])))`,
  );
