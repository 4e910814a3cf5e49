import type { FlagReviewState } from '../../../contracts/flags.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { getFlagReviewState } from '../flag-state.queries.ts';
import { getFlagOwner } from '../flags.queries.ts';
import { lockFlag } from '../lock-flag.ts';
import { rejectBatch } from '../resolution.ts';

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
