import { type Context, inTransaction } from '../../../platform/context.ts';
import { concernsWorkflow, perform } from '../machine/apply.ts';
import { lockState } from '../machine/load.ts';
import { isFinal, isOpen } from '../machine/state.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';

/** As a notice that books nothing. */
const LOOK_UP = { type: 'notice', agrees: false, status: 'accepted', deniesEvidence: false } as const;

/**
 * Lets the workflows of payouts ask the provider, which is said to know more than our books. One that is not sent yet tries again, and finds
 * whether it may be. Each is a transaction; the second call changes nothing.
 */
export const askPayouts = async (ctx: Context, payoutIds: readonly string[]): Promise<void> => {
  for (const payoutId of payoutIds)
    await inTransaction({ ...ctx, em: ctx.em.fork() as Context['em'] }, (ctx) => ask(ctx, payoutId));
};

const ask = async (ctx: Context, payoutId: string): Promise<void> => {
  const locked = await lockState(ctx, payoutId);
  const { payout, state: before } = locked;
  if (before.status === 'pending') return signalPayoutWorkflow(ctx, payout);
  if (!before.attempt || isFinal(before) || !isOpen(before.attempt)) return;
  await perform(ctx, locked, LOOK_UP);
  if (concernsWorkflow(before, locked.state)) await signalPayoutWorkflow(ctx, payout);
};
