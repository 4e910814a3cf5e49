import type { CancelledWork } from '../contracts/approvals.ts';
import type { Context } from '../platform/context.ts';
import { isBusy } from '../platform/database/pool.ts';
import { execute, sql } from '../platform/database/sql.ts';
import { cancelAdjustmentsOfGone, expireAdjustments, remindAdjustments } from './conversions/index.ts';
import { applyDueChanges, cancelChangesOfGone } from './merchants/index.ts';
import { cancelRunsOfGone, remindRunApprovals } from './payout-runs/index.ts';
import { cancelPayoutsOfGone } from './payouts/index.ts';
import { finishPasskeyReplacements, revokeInvitesOfGone, stopReplacementsOfGone } from './people/index.ts';

/** In the order of locks: runs before balances. */
const OF_GONE = [
  stopReplacementsOfGone,
  cancelChangesOfGone,
  revokeInvitesOfGone,
  cancelAdjustmentsOfGone,
  cancelRunsOfGone,
  cancelPayoutsOfGone,
];

/** Ending an access must not fail because others hold what it would cancel: that follows within seconds. */
const unlessBusy = async (ctx: Context, step: (ctx: Context) => Promise<CancelledWork[]>): Promise<CancelledWork[]> => {
  try {
    return await ctx.em.transactional((em) => step({ ...ctx, em: em as Context['em'] }));
  } catch (error) {
    if (isBusy(error)) return [];
    throw error;
  }
};

/** Cancels what waits in the name of whoever may no longer do it at a merchant: a batch of each kind, as far as nobody else holds it. */
export const cancelWaitingWork = async (ctx: Context, merchantId: string): Promise<CancelledWork[]> => {
  const cancelled: CancelledWork[] = [];
  // Templates: the builder has no settings.
  await execute(ctx.em, sql`set local lock_timeout = '200ms'`);
  for (const step of OF_GONE) cancelled.push(...(await unlessBusy(ctx, (ctx) => step(ctx, merchantId))));
  await execute(ctx.em, sql`set local lock_timeout to default`);
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
