import type { RunClaim } from '../../../contracts/workflows/descriptor.ts';
import { payoutCorrection } from '../../../contracts/workflows/payout-correction.ts';
import { payoutWorkflowId } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction, type WorkflowRef } from '../../../platform/context.ts';
import { AppError, invariant } from '../../../platform/errors.ts';
import { getCorrection } from '../corrections.steps.ts';
import { lockPayout } from '../machine/load.ts';
import type { ShownRow } from '../shown-row.steps.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

/** Whether a run showed its end before it closed; null when Temporal does not know it any more. */
export type HasShownEnd = (run: WorkflowRef) => Promise<boolean | null>;

/** What a run of a workflow shows, in the transaction that locked it. */
interface Shown {
  row: ShownRow;
  endedAt: Date | null;
  /** Notes that the run ended without showing it. */
  noteSuperseded(): Promise<void>;
}

export interface ClaimOptions {
  workflowId: string;
  /** Start of the run. */
  startedAt: string;
  hasShownEnd: HasShownEnd;
  lock(ctx: Context): Promise<Shown>;
}

/**
 * Decides which run shows a row, once it is final: the first one, unless it was lost before it did. Others were reset or copied, which
 * is noted. The second call of a run returns the same.
 */
export const claimShown = async (ctx: Context, { workflowId, startedAt, hasShownEnd, lock }: ClaimOptions): Promise<RunClaim> => {
  const own = ctx.actor.kind === 'system' ? ctx.actor.run : undefined;
  invariant(own, 'only a workflow claims');
  const isCopy = own.workflowId !== workflowId;
  const other = await inTransaction(ctx, async (ctx) => {
    const { row, endedAt } = await lock(ctx);
    const owner = row.runId ?? null;
    if (isCopy || (owner !== null && owner !== own.runId)) return { owner, endedAt };
    Object.assign(row, { runId: own.runId, runLost: false });
    return null;
  });
  if (!other) return { isSuperseded: false, run: own.runId };
  const { owner, endedAt } = other;
  // A run that began before the end, and whose predecessor is gone with Temporal's store, goes on in its place.
  const isShownElsewhere = async (runId: string) =>
    (await hasShownEnd({ workflowId, runId })) ?? (endedAt !== null && endedAt < new Date(startedAt));
  const isSuperseded = isCopy || (owner !== null && (await isShownElsewhere(owner)));
  await inTransaction(ctx, async (ctx) => {
    const { row, noteSuperseded } = await lock(ctx);
    // Tried again by Temporal.
    if ((row.runId ?? null) !== owner) throw new AppError('INTERNAL_ERROR', 'Another run was faster');
    if (isSuperseded) await noteSuperseded();
    else row.runId = own.runId;
    if (!isCopy) row.runLost = false;
  });
  return { isSuperseded, run: own.runId };
};

interface ClaimedRun {
  payoutId: string;
  /** Number of the correction; null for the payout itself. */
  n: number | null;
  startedAt: string;
}

/** Like `claimShown`, for a payout or a correction. Runs that do not show it are on the timeline. */
export const claimRun = (ctx: Context, hasShownEnd: HasShownEnd, { payoutId, n, startedAt }: ClaimedRun): Promise<RunClaim> =>
  claimShown(ctx, {
    workflowId: n === null ? payoutWorkflowId(payoutId) : payoutCorrection.id(payoutId, n),
    startedAt,
    hasShownEnd,
    async lock(ctx) {
      const payout = await lockPayout(ctx, payoutId);
      const correction = n === null ? null : await getCorrection(ctx, payoutId, n);
      return {
        row: correction ?? payout,
        endedAt: (correction ? correction.closedAt : (payout.failedAt ?? payout.completedAt)) ?? null,
        noteSuperseded: () => addTimelineEntry(ctx, payout, { type: 'workflow_superseded' }),
      };
    },
  });
