import type { ErasedPerson, ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { ERASURE_BATCH, type ErasedBatch, eraseInBatches } from '../../platform/database/erase-in-batches.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';

/** What merchants wrote about the person in payouts. */
export const erasePayoutNotes = async (ctx: Context, { members, words }: ErasedProfile): Promise<void> => {
  await execute(
    ctx.em,
    sql`update payout set notes = without_terms(notes, ${words}::text[]), bank_reference = without_terms(bank_reference, ${words}::text[]),
        affiliate_name = case when affiliate_name is not null then '[erased]' end, search_text = affiliate_code || e'\\n\\n' || lower(payment_reference)
      where affiliate_id = any(${members}::uuid[])`,
  );
  // After the payouts: who stores a page holds the lock of its payout.
  await execute(
    ctx.em,
    sql`update payout_remittance r set html = null from payout o where o.id = r.payout_id and o.affiliate_id = any(${members}::uuid[])`,
  );
  await firstRow(ctx.em, sql`select erase_timeline_notes(${members}::uuid[], ${words}::text[])`);
  await execute(
    ctx.em,
    sql`update payout_contradiction k set note = without_terms(k.note, ${words}::text[]) from payout o
      where k.payout_id = o.id and o.affiliate_id = any(${members}::uuid[]) and k.note is not null`,
  );
  await execute(
    ctx.em,
    sql`update payout_correction k set note = without_terms(k.note, ${words}::text[]), evidence = without_terms(k.evidence, ${words}::text[]),
        bank_reference = without_terms(k.bank_reference, ${words}::text[])
      from payout o where k.payout_id = o.id and o.affiliate_id = any(${members}::uuid[])
        and coalesce(k.note, k.evidence, k.bank_reference) is not null`,
  );
};

/** The person in notes on payouts of others; returns how many. */
export const erasePayoutMentions = (ctx: Context, { address, names, merchants }: ErasedPerson): Promise<number> =>
  eraseInBatches((from) =>
    firstRow(
      ctx.em,
      sql<ErasedBatch>`select erased, last_payout as last
        from erase_payout_mentions(${address}, ${names}::text[], ${merchants}::uuid[], ${from}::uuid, ${MENTIONS_BATCH})`,
    ),
  );

/** Each payout has several notes. */
const MENTIONS_BATCH = 1_000;

/** Where payouts were sent, of all people whose profile was erased, now or earlier: a payout may have ended since. */
export const erasePayoutRecipients = async (ctx: Context): Promise<number> => {
  for (let total = 0; ; ) {
    const row = await firstRow(ctx.em, sql<{ erased: number }>`select erase_payout_recipients(${ERASURE_BATCH}) as erased`);
    total += row?.erased ?? 0;
    if ((row?.erased ?? 0) < ERASURE_BATCH) return total;
  }
};
