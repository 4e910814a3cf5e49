import { payoutCorrection } from '../../../contracts/workflows/payout-correction.ts';
import { payoutWorkflowId } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction, type WorkflowRef } from '../../../platform/context.ts';
import { AppError, invariant } from '../../../platform/errors.ts';
import { getCorrection } from '../corrections.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutCorrection } from '../payout-correction.entity.ts';
import { lockPayout } from '../payout-state.queries.ts';
import { addTimelineEntry } from '../timeline.ts';

/** Whether a run showed its end before it closed; null when Temporal does not know it any more. */
export type HasShownEnd = (run: WorkflowRef) => Promise<boolean | null>;

export interface ClaimedRun {
  payoutId: string;
  /** Of the correction; null for the payout itself. */
  n: number | null;
  startedAt: string;
}

const lockShown = async (
  ctx: Context,
  { payoutId, n }: ClaimedRun,
): Promise<{ payout: Payout; shown: Payout | PayoutCorrection; endedAt: Date | null }> => {
  const payout = await lockPayout(ctx, payoutId);
  const correction = n === null ? null : await getCorrection(ctx, payoutId, n);
  const endedAt = (correction ? correction.closedAt : (payout.failedAt ?? payout.completedAt)) ?? null;
  return { payout, shown: correction ?? payout, endedAt };
};

/**
 * Decides which run shows a payout or a correction, once it is final: the first one, unless it was lost before it did. Others were
 * reset or copied, and are noted on the timeline. The second call of a run returns the same.
 */
export const claimRun = async (ctx: Context, hasShownEnd: HasShownEnd, input: ClaimedRun): Promise<{ isSuperseded: boolean }> => {
  const own = ctx.actor.kind === 'system' ? ctx.actor.run : undefined;
  invariant(own, 'only a workflow claims');
  const { owner, endedAt } = await inTransaction(ctx, async (ctx) => {
    const { shown, endedAt } = await lockShown(ctx, input);
    return { owner: shown.runId ?? null, endedAt };
  });
  const workflowId = input.n === null ? payoutWorkflowId(input.payoutId) : payoutCorrection.id(input.payoutId, input.n);
  const isCopy = own.workflowId !== workflowId;
  const isOwned = owner !== null && owner !== own.runId;
  // A run that began before the end, and whose predecessor is gone with Temporal's store, goes on in its place.
  const isShownElsewhere = async (runId: string) =>
    (await hasShownEnd({ workflowId, runId })) ?? (endedAt !== null && endedAt < new Date(input.startedAt));
  const isSuperseded = isCopy || (isOwned && (await isShownElsewhere(owner)));
  await inTransaction(ctx, async (ctx) => {
    const { payout, shown } = await lockShown(ctx, input);
    // Tried again by Temporal.
    if ((shown.runId ?? null) !== owner) throw new AppError('INTERNAL_ERROR', 'Another run was faster');
    if (isSuperseded) await addTimelineEntry(ctx, payout, { type: 'workflow_superseded' });
    else shown.runId = own.runId;
    if (!isCopy) shown.runLost = false;
  });
  return { isSuperseded };
};
