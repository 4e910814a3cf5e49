import type { RunClaim } from '../../contracts/workflows/descriptor.ts';
import { payoutRun } from '../../contracts/workflows/payout-run.ts';
import { type Context, inTransaction, type WorkflowRef } from '../../platform/context.ts';
import { lockRow } from '../../platform/database/lock-row.ts';
import { sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { claimShown, type HasShownEnd, markLost } from '../payouts/index.ts';
import { PayoutRun } from './payout-run.entity.ts';

/** The run, locked until the transaction ends: before balances, and never while one is held. */
export const lockRun = async (ctx: Context, id: string): Promise<PayoutRun> => {
  const run = await lockRow(ctx, PayoutRun, sql`id = ${id}`);
  if (!run) throw notFound('Payout run');
  return run;
};

/** As `claimShown`. */
export const claimPayoutRun = (
  ctx: Context,
  hasShownEnd: HasShownEnd,
  { runId, startedAt }: { runId: string; startedAt: string },
): Promise<RunClaim> =>
  claimShown(ctx, {
    workflowId: payoutRun.id(runId),
    startedAt,
    hasShownEnd,
    async lock(ctx) {
      const run = await lockRun(ctx, runId);
      const noteSuperseded = async () => ctx.log.warn({ payoutRun: runId }, 'a reset or copied workflow of a payout run ended');
      return { row: run, endedAt: run.finishedAt ?? null, noteSuperseded };
    },
  });

const WORKFLOW_ID = /^payout-run\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Another workflow shows the end of a run whose own was terminated in Temporal. */
export const noteTerminatedPayoutRun = async (ctx: Context, run: WorkflowRef): Promise<void> => {
  const [, id] = WORKFLOW_ID.exec(run.workflowId) ?? [];
  if (!id) return;
  await inTransaction(ctx, async (ctx) => {
    // Null for one of another installation.
    const shown = await lockRow(ctx, PayoutRun, sql`id = ${id}`);
    if (shown) markLost(shown, run);
  });
};
