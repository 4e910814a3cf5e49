import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../platform/context.ts';
import { lockMembership } from '../affiliates/index.ts';
import { lockBalance } from '../ledger/index.ts';
import { approveConversion } from './approve-conversion.ts';
import { Conversion } from './conversion.entity.ts';

/** Approves those of the commissions that are due; returns their number. Nothing is approved while the affiliate is blocked. */
export const releaseForAffiliate = (ctx: Context, affiliateId: string, ids: readonly string[]): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const { status } = await lockMembership(ctx, affiliateId);
    if (status === 'blocked') return 0;
    await lockBalance(ctx, affiliateId);
    const locked = await ctx.em.find(
      Conversion,
      { id: { $in: [...ids] } },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
    );
    const due = locked.filter((conversion) => conversion.isDue(ctx.clock.now()));
    for (const conversion of due) await approveConversion(ctx, conversion);
    return due.length;
  });
