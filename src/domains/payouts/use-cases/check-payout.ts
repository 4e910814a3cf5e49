import { type PayoutSnapshot, payoutWorkflowId } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { perform } from '../machine/apply.ts';
import { loadHold, lockState } from '../machine/load.ts';
import { isAtPerson } from '../machine/state.ts';
import { getPayoutSnapshot } from '../payout-state.queries.ts';
import { showIn } from '../shown-row.steps.ts';

/**
 * How a payout is. A pending one that waits for a person fails first when its affiliate is blocked, a commission is held or its run is
 * cancelled. With `contradiction`, `needsAttention` is whether that one is unresolved.
 */
export const checkPayout = (
  ctx: Context,
  { payoutId, contradiction }: { payoutId: string; contradiction?: number },
): Promise<PayoutSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockState(ctx, payoutId);
    if (isAtPerson(locked.state)) {
      showIn(ctx, locked.payout, payoutWorkflowId(payoutId));
      await loadHold(ctx, locked);
      await perform(ctx, locked, { type: 'check' });
    }
    const snapshot = await getPayoutSnapshot(ctx, payoutId);
    return contradiction === undefined ? snapshot : { ...snapshot, needsAttention: locked.contradiction === contradiction };
  });
