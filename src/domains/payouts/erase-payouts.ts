import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { ERASURE_BATCH, type ErasedProfile } from '../../platform/erasure.ts';
import { db } from '../tables.ts';

/** What merchants wrote about the person in payouts. */
export const erasePayoutNotes = async (ctx: Context, { members, terms }: ErasedProfile): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('payout')
      .set({ notes: sql<string>`without_terms(notes, ${terms})` })
      .where('affiliateId', '=', anyOf(members))
      .where('notes', 'is not', null),
  );
  await firstRow(ctx.em, sql`select erase_timeline_notes(${members}, ${terms})`);
  await execute(
    ctx.em,
    db
      .updateTable('payout_contradiction as k')
      .from('payout as o')
      .set({ note: sql<string>`without_terms(k.note, ${terms})` })
      .whereRef('k.payoutId', '=', 'o.id')
      .where('o.affiliateId', '=', anyOf(members))
      .where('k.note', 'is not', null),
  );
};

/** Where payouts were sent, of all people whose profile was erased, now or earlier: a payout may have ended since. */
export const erasePayoutRecipients = async (ctx: Context): Promise<number> => {
  for (let total = 0; ; ) {
    const row = await firstRow(ctx.em, sql<{ erased: number }>`select erase_payout_recipients(${ERASURE_BATCH}) as erased`);
    total += row?.erased ?? 0;
    if ((row?.erased ?? 0) < ERASURE_BATCH) return total;
  }
};
