import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import { HELD_BACK_AND_FREE, isDueUnlessHeld } from './due-conversions.queries.ts';
import { HELD_CONVERSION } from './holds.queries.ts';

/** Takes what is due and held out of the way of the next runs. The caller must hold the locks of the membership and the balance. */
export const holdBack = async (ctx: Context, ids: readonly string[], { isBlocked }: { isBlocked: boolean }): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('conversion as c')
      .set({ heldBack: true })
      .where('c.id', '=', anyOf(ids))
      .where(isDueUnlessHeld(ctx))
      .$if(!isBlocked, (query) => query.where(HELD_CONVERSION)),
  );
};

/** Lets the next run check what is held back. The caller must hold the locks of the membership and the balance. */
export const checkHeldBackAgain = async (ctx: Context, affiliateId: string): Promise<void> => {
  await execute(
    ctx.em,
    db
      .insertInto('held_back_affiliate')
      .values({ affiliateId, isDue: true })
      .onConflict((conflict) =>
        conflict.column('affiliateId').doUpdateSet({ isDue: true }).where('held_back_affiliate.isDue', '=', sql.lit(false)),
      ),
  );
};

const MAX_AFFILIATES = 1_000;

/** Ends the checks of affiliates of whom all is approved. Their rows are locked before it looks, so no new one is overlooked. */
export const endFinishedChecks = (ctx: Context): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const due = await rows(
      ctx.em,
      db
        .selectFrom('held_back_affiliate')
        .select('affiliateId')
        .where('isDue', '=', sql.lit(true))
        .orderBy('affiliateId')
        .limit(MAX_AFFILIATES)
        .forUpdate(),
    );
    if (due.length === 0) return;
    await execute(
      ctx.em,
      db
        .updateTable('held_back_affiliate as d')
        .set({ isDue: false })
        .where('d.affiliateId', '=', anyOf(due.map(({ affiliateId }) => affiliateId)))
        .where(sql<boolean>`not exists (select from ${HELD_BACK_AND_FREE} and h.affiliate_id = d.affiliate_id)`),
    );
  });
