import { payoutRun } from '../../../contracts/workflows/payout-run.ts';
import { type PayoutRunSnapshot, totalsOf } from '../../../contracts/workflows/payout-runs.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { showIn } from '../../payouts/index.ts';
import { performOnRun } from '../change-run.steps.ts';
import { lockRun } from '../lock-run.steps.ts';
import type { PayoutRun } from '../payout-run.entity.ts';
import { getPayoutRun } from '../payout-runs.queries.ts';
import { getRunSnapshot } from '../run-progress.queries.ts';

/**
 * How a run is. It completes when all its payouts are final, and is cancelled when nobody confirmed or approved it in time. The second
 * call changes nothing.
 */
export const checkRun = (ctx: Context, { runId }: { runId: string }): Promise<PayoutRunSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const run = await lockRun(ctx, runId);
    if (!run.isFinal()) showIn(ctx, run, payoutRun.id(runId));
    const snapshot = await getRunSnapshot(ctx, runId);
    const isExpired = performOnRun(ctx, run, { type: 'expire' });
    const isCompleted = !isExpired && isDone(run, snapshot);
    if (isCompleted) await completeRun(ctx, run);
    if (!isExpired && !isCompleted) return snapshot;
    return getRunSnapshot(ctx, runId);
  });

const isDone = ({ status }: PayoutRun, snapshot: PayoutRunSnapshot): boolean => {
  const { planned, open } = totalsOf(snapshot);
  return (status === 'running' || status === 'paused') && planned + open === 0;
};

const completeRun = async (ctx: Context, run: PayoutRun): Promise<void> => {
  performOnRun(ctx, run, { type: 'complete' });
  const { merchantId, programId = null } = run;
  const { situation: _, ...data } = await getPayoutRun(ctx, run.id);
  await emit(ctx, { type: 'payout_run.completed', merchantId, programId, data });
};
