import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
import { HELD_BACK_AND_FREE, isDueUnlessHeld } from './due-conversions.queries.ts';
import { HELD_CONVERSION } from './holds.queries.ts';

/** Takes what is due and held out of the way of the next runs. The caller must hold the locks of the membership and the balance. */
export const holdBack = async (ctx: Context, ids: readonly string[], { isBlocked }: { isBlocked: boolean }): Promise<void> => {
  await execute(
    ctx.em,
    sql`update conversion c set held_back = true
      where c.id = any(${ids}::uuid[]) and ${isDueUnlessHeld(ctx)} and (${isBlocked}::boolean or ${HELD_CONVERSION})`,
  );
};

/** Lets the next run look again at what is held back. The caller must hold the locks of the membership and the balance. */
export const lookAgain = async (ctx: Context, affiliateId: string): Promise<void> => {
  await execute(
    ctx.em,
    sql`insert into held_back_affiliate as h (affiliate_id, is_due) values (${affiliateId}::uuid, true)
      on conflict (affiliate_id) do update set is_due = true where not h.is_due`,
  );
};

const MAX_AFFILIATES = 1_000;

/** Ends it for affiliates of whom all is released. Their rows are locked before it looks, so no new one is overlooked. */
export const endLookingAgain = (ctx: Context): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const due = await rows(
      ctx.em,
      sql<{ id: string }>`select affiliate_id as id from held_back_affiliate where is_due
        order by affiliate_id limit ${MAX_AFFILIATES} for update`,
    );
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    await execute(
      ctx.em,
      sql`update held_back_affiliate d set is_due = false where d.affiliate_id = any(${ids}::uuid[]) and not exists (
        select from ${HELD_BACK_AND_FREE} and h.affiliate_id = d.affiliate_id)`,
    );
  });
