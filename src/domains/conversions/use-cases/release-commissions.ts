import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockBalance } from '../../ledger/index.ts';
import { approveConversion } from '../approve-conversion.ts';
import { findDueConversions } from '../commissions.queries.ts';
import { Conversion } from '../conversion.entity.ts';

/**
 * Approves a batch of commissions whose hold period is over, with one transaction per affiliate. Concurrent runs approve
 * each commission once. `more` is true when the batch was full.
 */
export const releaseCommissions = async (
  ctx: Context,
  input: { limit: number },
): Promise<{ released: number; more: boolean }> => {
  const due = await findDueConversions(ctx, input.limit);
  const byAffiliate = Map.groupBy(due, (row) => row.affiliateId);
  let released = 0;
  for (const [affiliateId, batch] of byAffiliate) {
    released += await releaseForAffiliate(
      ctx,
      affiliateId,
      batch.map((row) => row.id),
    );
  }
  return { released, more: due.length === input.limit };
};

const releaseForAffiliate = (ctx: Context, affiliateId: string, ids: string[]): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    await lockBalance(ctx, affiliateId);
    const locked = await ctx.em.find(Conversion, { id: { $in: ids } }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const due = locked.filter((conversion) => conversion.isDue(ctx.clock.now()));
    for (const conversion of due) await approveConversion(ctx, conversion);
    return due.length;
  });
