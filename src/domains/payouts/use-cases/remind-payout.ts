import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { lockPayout, snapshotOf } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.ts';
import type { StepInput } from './start-attempt.ts';

/** A person has to act and has not. The last reminder puts the payout on the list of those that need a person. */
export const remindPayout = (ctx: Context, input: StepInput & { reminder: number; last: boolean }): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    if (!payout) throw notFound('Payout');
    const what = input.last ? 'still unpaid: a person has to look' : `reminder ${input.reminder}: waits to be paid`;
    const said = await firstRow(
      ctx.em,
      sql`select 1 from payout_timeline where payout_id = ${payout.id}::uuid and what = ${what} limit 1`,
    );
    if (!payout.isFinal() && !said) {
      if (input.last) payout.needsAttention = true;
      await addTimelineEntry(ctx, payout, { what });
      await ctx.em.flush();
    }
    return snapshotOf(ctx, payout.id);
  });
