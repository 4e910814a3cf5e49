import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { Coupon } from '../coupon.entity.ts';

/** Sales made before the deletion are still credited by the coupon, whenever they are reported. */
export const deleteCoupon = (ctx: Context, input: { id: string }): Promise<Coupon> =>
  inTransaction(ctx, async (ctx) => {
    const coupon = await lockOwned(ctx, 'Coupon', Coupon, { id: input.id, deletedAt: null });
    coupon.delete(ctx.clock.now());
    const { id: resourceId, merchantId: ownerId, programId, affiliateId, code } = coupon;
    await recordChange(ctx, { ownerId, action: 'coupon.deleted', resourceId, before: { programId, affiliateId, code } });
    return coupon;
  });
