import { isSentByCall } from '../../../contracts/rails.ts';
import { type PayoutSnapshot, payoutWorkflowId } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { findOpenContradiction } from '../contradictions.ts';
import { applyAttemptBlock } from '../open-attempt.ts';
import { getPayoutSnapshot, lockPayout } from '../payout-state.queries.ts';
import { showIn } from '../shown-row.steps.ts';

/**
 * How a payout is. A pending one that no worker sends, or without a needed approval, fails first when its affiliate is blocked or a commission is held. With
 * `contradiction`, `needsAttention` is whether that one is unresolved.
 */
export const checkPayout = (
  ctx: Context,
  { payoutId, contradiction }: { payoutId: string; contradiction?: number },
): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    if (payout.status === 'pending' && (!isSentByCall(payout.rail) || payout.isAwaitingApproval())) {
      showIn(ctx, payout, payoutWorkflowId(payout.id));
      await applyAttemptBlock(ctx, payout);
    }
    const snapshot = await getPayoutSnapshot(ctx, payoutId);
    if (contradiction === undefined) return snapshot;
    const open = await findOpenContradiction(ctx, payoutId);
    return { ...snapshot, needsAttention: open?.n === contradiction };
  });
