import { type FlagDeadlineAction, type FlagReviewState, RESOLUTION_OF_DEADLINE } from '../../contracts/flags.ts';
import { type Context, emitInternal, inTransaction } from '../../platform/context.ts';
import { execute } from '../../platform/database/sql.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { lockOwned } from '../../platform/ownership.ts';
import { getFlagSettings } from '../merchants/index.ts';
import { db } from '../tables.ts';
import { Flag } from './flag.entity.ts';
import { getFlagReviewState } from './flag-state.queries.ts';
import { getFlagOwner } from './flags.queries.ts';
import { applyResolution, lockFlag, rejectBatch } from './resolution.steps.ts';

// The steps of the flag workflow. Each runs at least once and is safe to repeat.

/** Reminds the merchant of an open flag. The second call for the same reminder changes nothing. */
export const remindFlag = (ctx: Context, { flagId, reminder }: { flagId: string; reminder: number }): Promise<FlagReviewState> =>
  inTransaction(ctx, async (ctx) => {
    const flag = await lockOwned(ctx, 'Flag', Flag, { id: flagId });
    if (flag.remind(reminder, ctx.clock.now())) {
      const { merchantId, programId } = flag;
      await emitInternal(ctx, { type: 'flag.reminder', flagId, merchantId, programId, n: reminder });
    }
    return getFlagReviewState(ctx, flagId);
  });

/**
 * Does what the merchant chose for flags that nobody resolved in time. Changes nothing before the deadline, and nothing when a
 * person was faster: the row decides under its lock. The second call changes nothing.
 */
export const applyFlagDeadline = (ctx: Context, { flagId }: { flagId: string }): Promise<FlagReviewState> =>
  inTransaction(ctx, async (ctx) => {
    const owner = await getFlagOwner(ctx, flagId);
    const { deadlineAction } = await getFlagSettings(ctx, owner.merchantId);
    const flag = await lockFlag(ctx, owner, { confirms: deadlineAction === 'confirm' });
    if (flag.isOverdue(ctx.clock.now())) await passDeadline(ctx, flag, deadlineAction);
    return getFlagReviewState(ctx, flagId);
  });

const passDeadline = async (ctx: Context, flag: Flag, deadlineAction: FlagDeadlineAction): Promise<void> => {
  const { id: flagId, merchantId, programId } = flag;
  flag.passDeadline(deadlineAction, ctx.clock.now());
  const resolution = RESOLUTION_OF_DEADLINE[deadlineAction];
  if (resolution !== null) await applyResolution(ctx, flag, resolution, null);
  await emitInternal(ctx, { type: 'flag.deadline', flagId, merchantId, programId, n: flag.deadlines });
};

const TIME_BUDGET_MS = 5_000;

/**
 * Rejects the commissions that a confirmed flag still holds, in transactions of one batch, for about 5 seconds. A crash leaves
 * the rest on hold, and the next call continues. Must not be called inside a transaction.
 */
export const rejectFlagged = async (ctx: Context, { flagId }: { flagId: string }): Promise<FlagReviewState> => {
  const endsAt = performance.now() + TIME_BUDGET_MS;
  const owner = await getFlagOwner(ctx, flagId);
  const rejectNext = () =>
    inTransaction(ctx, async (ctx) => {
      // Each flush compares everything that was loaded.
      ctx.em.clear();
      const flag = await lockFlag(ctx, owner, { confirms: false });
      return flag.status === 'confirmed' && !flag.holdEndedAt && rejectBatch(ctx, flag);
    });
  do {
    ctx.em.clear();
    faultPoint('flag:between-batches');
  } while ((await rejectNext()) && performance.now() < endsAt);
  return getFlagReviewState(ctx, flagId);
};

/**
 * Notes that the cancellation of the flag's workflow was requested in Temporal, which has no effect: only the API and the
 * deadline resolve flags.
 */
export const recordFlagCancellation = async (ctx: Context, { flagId }: { flagId: string }): Promise<void> => {
  const cancellationIgnoredAt = ctx.clock.now().toISOString();
  await execute(ctx.em, db.updateTable('flag').set({ cancellationIgnoredAt }).where('id', '=', flagId));
};
