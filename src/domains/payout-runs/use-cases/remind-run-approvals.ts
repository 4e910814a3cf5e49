import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { dueReminders } from '../../auth/index.ts';
import { db } from '../../tables.ts';

const BATCH = 100;

/** Reminds of runs that still wait for a second actor. Returns how many, at most a batch; each reminder is sent once. */
export const remindRunApprovals = (ctx: Context): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const due = dueReminders(ctx, sql`confirmed_at`);
    const waiting = db
      .selectFrom('payout_run')
      .select(['id', due.as('n')])
      .where('status', '=', sql.lit('awaiting_approval'))
      .where('approvalReminders', '<', due)
      .orderBy('id')
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    const reminded = await rows(
      ctx.em,
      db
        .updateTable('payout_run as r')
        .from(waiting.as('w'))
        .set(({ ref }) => ({ approvalReminders: ref('w.n') }))
        .whereRef('r.id', '=', 'w.id')
        .returning(['r.id as runId', 'r.merchantId', 'w.n']),
    );
    for (const run of reminded) await emitInternal(ctx, { type: 'payout_run.approval_requested', ...run });
    return reminded.length;
  });
