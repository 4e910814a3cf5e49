import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '../../../contracts/audit-log.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { set } from '../../../platform/database/set.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import type { AmountsByCurrency } from '../../../platform/money.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { findApprovalThreshold } from '../../merchants/index.ts';
import { amountsOf, assertRunWithinDailyLimit, needsApproval, signalPayoutsOfRun } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { assertRunMay, performOnRun } from '../change-run.steps.ts';
import { assertAccountsCanPay } from '../failing-accounts.queries.ts';
import { PayoutRun } from '../payout-run.entity.ts';
import { leaveOutPlanned } from '../planned-items.steps.ts';
import { assertMayApproveRun, findMadeByCaller, leaveOutMade } from '../run-actors.queries.ts';
import { readTotal } from '../run-total.steps.ts';
import { signalRunWorkflow } from '../run-workflow.steps.ts';

interface OfRun {
  id: string;
}

/** One change of a run of the caller: in the audit log, and told to its workflow, in the transaction of the change. */
const changeRun = (
  ctx: Context,
  { id }: OfRun,
  action: Extract<AuditAction, `payout_run.${string}`>,
  change: (ctx: Context, run: PayoutRun) => Promise<Readonly<Record<string, unknown>> | null>,
): Promise<PayoutRun> =>
  inTransaction(ctx, async (ctx) => {
    const run = await lockOwned(ctx, 'Payout run', PayoutRun, { id });
    const after = await change(ctx, run);
    if (after === null) return run;
    await recordChange(ctx, { ownerId: run.merchantId, action, resourceId: run.id, after });
    await signalRunWorkflow(ctx, run);
    return run;
  });

interface TakenOut extends OfRun {
  affiliateId: string;
}

/** Leaves an affiliate out of a draft. One who is left out stays as is. Throws NOT_DRAFT. */
export const removePayoutRunItem = (ctx: Context, { id, affiliateId }: TakenOut): Promise<PayoutRun> =>
  changeRun(ctx, { id }, 'payout_run.item_taken_out', async (ctx, run) => {
    assertRunMay(ctx, run, { type: 'take_out' });
    const ofAffiliate = db.selectFrom('payout_run_item').select('result').where('runId', '=', id);
    const item = await firstRow(ctx.em, ofAffiliate.where('affiliateId', '=', affiliateId));
    if (!item) throw notFound('Item of the run');
    if (item.result !== 'planned') return null;
    await execute(
      ctx.em,
      db
        .updateTable('payout_run_item')
        .set({ result: 'left_out', reason: 'TAKEN_OUT' })
        .where('runId', '=', id)
        .where('affiliateId', '=', affiliateId),
    );
    run.shrinkTo(await readTotal(ctx, id), actorName(ctx.actor), ctx.clock.now());
    return { affiliateId, total: run.total, items: run.items };
  });

interface Confirmed extends OfRun {
  /** What the person saw. */
  total: AmountsByCurrency;
  items: number;
}

/**
 * Starts a run, or asks for its approval. Throws NOT_DRAFT, RUN_CHANGED when the person saw other figures, RAIL_ACCOUNT_FAILING,
 * and DAILY_LIMIT for the run as a whole.
 */
export const confirmPayoutRun = (ctx: Context, { id, total, items }: Confirmed): Promise<PayoutRun> =>
  changeRun(ctx, { id }, 'payout_run.confirmed', async (ctx, run) => {
    assertRunMay(ctx, run, { type: 'confirm', needsApproval: false });
    if (items !== run.items || !isDeepStrictEqual({ ...total }, { ...run.total }))
      throw conflict('RUN_CHANGED', 'The run is not as confirmed: look at it again', { total: run.total, items: run.items });
    await assertAccountsCanPay(ctx, run);
    await confirmRun(ctx, run);
    return { total, items, status: run.status };
  });

/**
 * Reserves the total within the daily limit, and asks those who may approve where somebody has to. The caller holds the run's lock. `actor`:
 * who let it confirm itself; default: the caller.
 */
export const confirmRun = async (ctx: Context, run: PayoutRun, actor = actorName(ctx.actor)): Promise<void> => {
  await assertRunWithinDailyLimit(ctx, run.merchantId, run.total);
  performOnRun(ctx, run, { type: 'confirm', needsApproval: await isApprovalNeeded(ctx, run, actor) }, actor);
  const { id: runId, merchantId } = run;
  if (run.status === 'awaiting_approval')
    await emitInternal(ctx, { type: 'payout_run.approval_requested', runId, merchantId, n: 0 });
};

const isApprovalNeeded = async (ctx: Context, { merchantId, total }: PayoutRun, by: string): Promise<boolean> => {
  const payoutApprovalThreshold = await findApprovalThreshold(ctx, merchantId);
  return needsApproval(ctx, { merchantId, amounts: amountsOf(total), payoutApprovalThreshold, by });
};

/**
 * Starts a run that waits for a second actor, without the items that this one made. Throws SAME_ACTOR, also when no item is left;
 * approving twice changes nothing.
 */
export const approvePayoutRun = (ctx: Context, input: OfRun): Promise<PayoutRun> =>
  changeRun(ctx, input, 'payout_run.approved', async (ctx, run) => {
    if (run.approvedAt && run.status === 'running') return null;
    assertRunMay(ctx, run, { type: 'approve' });
    const { id } = run;
    const made = await findMadeByCaller(ctx, run);
    if (made.length > 0) await leaveOutMade(ctx, id, made);
    const { total, items } = await readTotal(ctx, id);
    await assertMayApproveRun(ctx, run, items === 0 ? [actorName(ctx.actor)] : []);
    performOnRun(ctx, run, { type: 'approve' });
    set(run, { total, items });
    return { total, items, ...(made.length > 0 && { leftOut: made.length }) };
  });

/** Creates no further payouts, and none that was created is begun. Pausing again changes nothing. */
export const pausePayoutRun = (ctx: Context, input: OfRun): Promise<PayoutRun> =>
  changeRun(ctx, input, 'payout_run.paused', async (ctx, run) => {
    if (!performOnRun(ctx, run, { type: 'pause' })) return null;
    await signalPayoutsOfRun(ctx, run.id);
    return {};
  });

/** Goes on with a paused run. Throws ILLEGAL_TRANSITION for any other. */
export const resumePayoutRun = (ctx: Context, input: OfRun): Promise<PayoutRun> =>
  changeRun(ctx, input, 'payout_run.resumed', async (ctx, run) => {
    performOnRun(ctx, run, { type: 'resume' });
    await signalPayoutsOfRun(ctx, run.id);
    return {};
  });

/**
 * Ends a run before all are paid. Its workflow fails the payouts without an attempt; those that are being paid go on. Cancelling again
 * changes nothing.
 */
export const cancelPayoutRun = (ctx: Context, input: OfRun): Promise<PayoutRun> =>
  changeRun(ctx, input, 'payout_run.cancelled', async (ctx, run) => {
    if (!performOnRun(ctx, run, { type: 'cancel' })) return null;
    await leaveOutPlanned(ctx, run.id);
    return { cancelReason: run.cancelReason };
  });
