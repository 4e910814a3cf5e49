import { type Context, inTransaction } from '../../../platform/context.ts';
import { rows } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import { approveOrLog } from './approve-due-conversions.steps.ts';
import { type DueConversion, isDue } from './due-conversions.queries.ts';
import { HELD_CONVERSION } from './holds.queries.ts';

/** Marks conversions as screened and returns those that are due and not held. A second call changes nothing. The caller must hold the locks of balances. */
export const markScreened = (ctx: Context, ids: readonly string[]): Promise<DueConversion[]> =>
  inTransaction(ctx, (ctx) =>
    rows(
      ctx.em,
      db
        .with(
          (cte) => cte('locked').materialized(),
          (cte) =>
            cte
              .selectFrom('conversion')
              .select('id')
              .where('id', '=', anyOf(ids))
              .where('screenedAt', 'is', null)
              .orderBy('id')
              .forNoKeyUpdate(),
        )
        .with('c', (cte) =>
          cte
            .updateTable('conversion')
            .from('locked')
            .set({ screenedAt: ctx.clock.now().toISOString() })
            .whereRef('conversion.id', '=', 'locked.id')
            .returning(['conversion.id', 'conversion.affiliateId', 'conversion.screenedAt', 'conversion.disputedAt'])
            .returning(['conversion.approvedAt', 'conversion.status', 'conversion.releaseAt']),
        )
        .selectFrom('c')
        .select(['c.id', 'c.affiliateId'])
        .where(isDue(ctx))
        .where(({ not }) => not(HELD_CONVERSION)),
    ),
  );

/** Approves commissions that are due, with one transaction per affiliate. What fails stays due for the scheduled approval. */
export const approveScreened = async (ctx: Context, due: readonly DueConversion[]): Promise<void> => {
  for (const [affiliateId, batch] of Map.groupBy(due, (row) => row.affiliateId)) {
    const ids = batch.map(({ id }) => id);
    await approveOrLog(ctx, affiliateId, ids);
  }
};
