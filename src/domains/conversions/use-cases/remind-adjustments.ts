import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { dueReminders } from '../../auth/index.ts';
import { db } from '../../tables.ts';

const BATCH = 100;

/** Reminds of adjustments that still wait for a second actor. Returns how many, at most a batch; each reminder is sent once. */
export const remindAdjustments = (ctx: Context): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const due = dueReminders(ctx, sql`created_at`);
    const waiting = db
      .selectFrom('adjustment_request')
      .select(['id', due.as('n')])
      .where('status', '=', sql.lit('awaiting_approval'))
      .where('approvalReminders', '<', due)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    const reminded = await rows(
      ctx.em,
      db
        .updateTable('adjustment_request as d')
        .from(waiting.as('w'))
        .set(({ ref }) => ({ approvalReminders: ref('w.n') }))
        .whereRef('d.id', '=', 'w.id')
        .returning(['d.id as adjustmentId', 'd.merchantId', 'd.affiliateId', 'd.amount', 'd.currency', 'd.kind', 'w.n']),
    );
    for (const adjustment of reminded) await emitInternal(ctx, { type: 'adjustment.approval_requested', ...adjustment });
    return reminded.length;
  });
