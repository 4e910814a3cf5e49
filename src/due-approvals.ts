import type { CancelledWork } from './contracts/approvals.ts';
import { cancelAdjustmentsOfGone, expireAdjustments, remindAdjustments } from './domains/conversions/index.ts';
import { applyDueChanges, cancelChangesOfGone } from './domains/merchants/index.ts';
import { cancelRunsOfGone, remindRunApprovals } from './domains/payout-runs/index.ts';
import { cancelPayoutsOfGone } from './domains/payouts/index.ts';
import { finishPasskeyReplacements, revokeInvitesOfGone, stopReplacementsOfGone } from './domains/people/index.ts';
import type { Context } from './platform/context.ts';

/** In the order of locks: runs before balances. */
const OF_GONE = [
  stopReplacementsOfGone,
  cancelChangesOfGone,
  revokeInvitesOfGone,
  cancelAdjustmentsOfGone,
  cancelRunsOfGone,
  cancelPayoutsOfGone,
];

/** Cancels what waits in the name of whoever may no longer do it at a merchant: a batch of each kind. */
export const cancelWaitingWork = async (ctx: Context, merchantId: string): Promise<CancelledWork[]> => {
  const cancelled: CancelledWork[] = [];
  for (const step of OF_GONE) cancelled.push(...(await step(ctx, merchantId)));
  return cancelled;
};

const DUE = [
  ...OF_GONE.map((step) => async (ctx: Context) => (await step(ctx, null)).length),
  expireAdjustments,
  applyDueChanges,
  finishPasskeyReplacements,
  remindAdjustments,
  remindRunApprovals,
];

/** Settles, of all merchants, what nobody has to decide any more; returns how many. Each step has transactions of its own. */
export const applyDueApprovals = async (ctx: Context): Promise<number> => {
  let settled = 0;
  for (const step of DUE) settled += await step({ ...ctx, em: ctx.em.fork() as Context['em'] });
  return settled;
};
