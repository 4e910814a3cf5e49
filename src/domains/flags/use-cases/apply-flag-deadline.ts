import type { FlagReviewState } from '../../../contracts/flags.ts';
import { type FlagDeadlineAction, RESOLUTION_OF_DEADLINE } from '../../../contracts/flags.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { getFlagSettings } from '../../merchants/index.ts';
import type { Flag } from '../flag.entity.ts';
import { getFlagReviewState } from '../flag-state.queries.ts';
import { getFlagOwner } from '../flags.queries.ts';
import { lockFlag } from '../lock-flag.ts';
import { applyResolution } from '../resolution.ts';

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
  if (resolution === null) await ctx.em.flush();
  else await applyResolution(ctx, flag, resolution, null);
  await emitInternal(ctx, { type: 'flag.deadline', flagId, merchantId, programId, n: flag.deadlines });
};
