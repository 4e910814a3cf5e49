import type { ErasedPerson, ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

// A template: arrays, and a function of the database.

/** What is written about the person in differences of their payouts, and where those were paid to. */
export const eraseDifferences = async (ctx: Context, { members, words }: ErasedProfile): Promise<void> => {
  await execute(
    ctx.em,
    sql`update reconciliation_difference d set note = without_terms(d.note, ${words}::text[]),
        ours = d.ours || '{"destination":null}', theirs = d.theirs || '{"destination":null}'
      from payout o where o.id in (d.payout_id, d.linked_payout_id) and o.affiliate_id = any(${members}::uuid[])`,
  );
};

/** The person in notes on differences of others; returns how many. */
export const eraseDifferenceMentions = (ctx: Context, { address, names, merchants }: ErasedPerson): Promise<number> =>
  execute(
    ctx.em,
    sql`update reconciliation_difference d set
        note = without_terms(d.note, mentions(${address}, ${names}::text[], d.merchant_id = any(${merchants}::uuid[])))
      where names_term(d.note, mentions(${address}, ${names}::text[], d.merchant_id = any(${merchants}::uuid[])))`,
  );
