import { payoutRun } from '../../../contracts/workflows/payout-run.ts';
import { type PayoutRunSnapshot, totalsOf } from '../../../contracts/workflows/payout-runs.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { showIn } from '../../payouts/index.ts';
import { lockRun } from '../lock-run.steps.ts';
import type { PayoutRun } from '../payout-run.entity.ts';
import { getPayoutRun } from '../payout-runs.queries.ts';
import { decideByOf, getRunSnapshot } from '../run-progress.queries.ts';

/**
 * How a run is. It completes when all its payouts are final, and is cancelled when nobody confirmed or approved it in time. The second
 * call changes nothing.
 */
export const checkRun = (ctx: Context, { runId }: { runId: string }): Promise<PayoutRunSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const run = await lockRun(ctx, runId);
    if (!run.isFinal()) showIn(ctx, run, payoutRun.id(runId));
    const snapshot = await getRunSnapshot(ctx, runId);
    if (isOverdue(ctx, run)) run.cancel(run.status === 'draft' ? 'draft_expired' : 'approval_expired', ctx.clock.now());
    else if (isDone(run, snapshot)) await completeRun(ctx, run);
    else return snapshot;
    return getRunSnapshot(ctx, runId);
  });

const isOverdue = (ctx: Context, { status, createdAt, confirmedAt = null }: PayoutRun): boolean => {
  const decideBy = decideByOf(ctx, { status, createdAt, confirmedAt });
  return decideBy !== null && decideBy <= ctx.clock.now();
};

const isDone = ({ status }: PayoutRun, snapshot: PayoutRunSnapshot): boolean => {
  const { planned, open } = totalsOf(snapshot);
  return (status === 'running' || status === 'paused') && planned + open === 0;
};

const completeRun = async (ctx: Context, run: PayoutRun): Promise<void> => {
  run.complete(ctx.clock.now());
  const { merchantId, programId = null } = run;
  const { situation: _, ...data } = await getPayoutRun(ctx, run.id);
  await emit(ctx, { type: 'payout_run.completed', merchantId, programId, data });
};
