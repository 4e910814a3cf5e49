import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import { Coupon } from '../coupon.entity.ts';

/** Sales made before the deletion are still credited by the coupon, whenever they are reported. */
export const deleteCoupon = (ctx: Context, input: { id: string }): Promise<Coupon> =>
  inTransaction(ctx, async (ctx) => {
    const coupon = await ctx.em.findOne(Coupon, { id: input.id, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!coupon) throw notFound('Coupon');
    if (coupon.merchantId !== merchantOf(ctx)) throw forbidden();
    coupon.delete(ctx.clock.now());
    await ctx.em.flush();
    return coupon;
  });
