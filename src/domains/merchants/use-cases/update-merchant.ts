import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { Merchant, type MerchantChanges } from '../merchant.entity.ts';

/** New defaults apply to programs created from now on; existing programs keep their settings. */
export const updateMerchant = (ctx: Context, input: { id: string; changes: MerchantChanges }): Promise<Merchant> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await ctx.em.findOne(Merchant, { id: input.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!merchant) throw notFound('Merchant');
    merchant.change(input.changes, ctx.clock.now());
    await ctx.em.flush();
    return merchant;
  });
