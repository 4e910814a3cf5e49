import { LockMode } from '@mikro-orm/core';
import type { FlagReviewState } from '../../../contracts/flags.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { Flag } from '../flag.entity.ts';
import { getFlagReviewState } from '../flag-state.queries.ts';

/** Reminds the merchant of an open flag. The second call for the same reminder changes nothing. */
export const remindFlag = (ctx: Context, { flagId, reminder }: { flagId: string; reminder: number }): Promise<FlagReviewState> =>
  inTransaction(ctx, async (ctx) => {
    const flag = await ctx.em.findOneOrFail(Flag, { id: flagId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (flag.remind(reminder, ctx.clock.now())) {
      await ctx.em.flush();
      const { merchantId, programId } = flag;
      await emitInternal(ctx, { type: 'flag.reminder', flagId, merchantId, programId, n: reminder });
    }
    return getFlagReviewState(ctx, flagId);
  });
