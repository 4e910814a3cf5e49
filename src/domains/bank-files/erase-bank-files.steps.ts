import type { ErasedPerson, ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

// Templates: a test reads which columns they replace. Bytes of files, and names that banks suggest, end with where a payout was sent.

/** Why files were discarded that the person would have been paid by. */
export const eraseFileNotes = (ctx: Context, { members, words }: ErasedProfile): Promise<number> =>
  execute(
    ctx.em,
    sql`update bank_file f set discard_note = without_terms(f.discard_note, ${words}::text[])
      where f.discard_note is not null and f.id in (select l.file_id from bank_file_line l join payout o on o.id = l.payout_id
        where o.affiliate_id = any(${members}::uuid[]))`,
  );

/** The person in notes on files of others, and in the ids of payments that merchants made elsewhere; returns how many. */
export const eraseFileMentions = async (ctx: Context, { address, names, merchants }: ErasedPerson): Promise<number> =>
  (await execute(
    ctx.em,
    sql`update bank_file f set
        discard_note = without_terms(f.discard_note, mentions(${address}, ${names}::text[], f.merchant_id = any(${merchants}::uuid[])))
      where names_term(f.discard_note, mentions(${address}, ${names}::text[], f.merchant_id = any(${merchants}::uuid[])))`,
  )) +
  (await execute(
    ctx.em,
    sql`update bank_statement s set
        report = without_names(s.report::text, mentions(${address}, ${names}::text[], s.merchant_id = any(${merchants}::uuid[])))::jsonb
      where names_term(s.report::text, mentions(${address}, ${names}::text[], s.merchant_id = any(${merchants}::uuid[])))`,
  ));
