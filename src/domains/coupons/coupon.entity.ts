import { defineEntity, p } from '@mikro-orm/core';

export const CouponSchema = defineEntity({
  name: 'Coupon',
  tableName: 'coupon',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    /** As the merchant wrote it; compared in lower case. */
    code: p.text(),
    expiresAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    deletedAt: p.datetime(3).nullable(),
  },
});

/** A discount code of the merchant's shop whose sales are credited to one affiliate. */
export class Coupon extends CouponSchema.class {
  delete(at: Date): void {
    this.deletedAt = at;
  }
}

CouponSchema.setClass(Coupon);
