import type { CancelledWork } from '../../../contracts/approvals.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { isGone } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { performOnRun } from '../change-run.steps.ts';
import { PayoutRun } from '../payout-run.entity.ts';
import { leaveOutPlanned } from '../planned-items.steps.ts';
import { signalRunWorkflow } from '../run-workflow.steps.ts';

const BATCH = 50;

const isGoneBy = (actor: RawBuilder<unknown>) =>
  isGone({ actor, merchantId: sql`payout_run.merchant_id`, scope: 'payouts:write' });

/**
 * Drafts of somebody who may no longer pay, and runs that they confirmed and that wait for approval, of one merchant or of all: at most a
 * batch. A draft that somebody else confirmed is theirs.
 */
export const cancelRunsOfGone = (ctx: Context, merchantId: string | null): Promise<CancelledWork[]> =>
  inTransaction(ctx, async (ctx) => {
    const found = db
      .selectFrom('payout_run')
      .select('id')
      .where(sql<boolean>`(status = 'draft' and ${isGoneBy(sql`payout_run.created_by`)}
        or status = 'awaiting_approval' and ${isGoneBy(sql`payout_run.confirmed_by`)})`)
      .orderBy('id')
      .limit(sql.lit(BATCH))
      .forUpdate();
    const gone = await rows(ctx.em, merchantId === null ? found : found.where('merchantId', '=', merchantId));
    const runs = await ctx.em.find(PayoutRun, { id: { $in: gone.map(({ id }) => id) } }, { refresh: true });
    for (const run of runs) await cancelOfGone(ctx, run);
    return runs.map(({ id }) => ({ kind: 'payout_run', id }));
  });

const cancelOfGone = async (ctx: Context, run: PayoutRun): Promise<void> => {
  performOnRun(ctx, run, { type: 'cancel', isOrphaned: true });
  await leaveOutPlanned(ctx, run.id);
  const { id: resourceId, merchantId: ownerId, cancelReason } = run;
  await recordChange(ctx, { ownerId, action: 'payout_run.cancelled', resourceId, after: { cancelReason, creatorGone: true } });
  await signalRunWorkflow(ctx, run);
};
