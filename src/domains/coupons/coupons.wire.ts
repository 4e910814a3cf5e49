import { z } from 'zod';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { instant, storedUuid, timestamp, uuid } from '../../platform/http/schemas.ts';

export const couponSchema = z
  .object({
    id: storedUuid,
    code: z.string(),
    affiliateId: storedUuid,
    programId: storedUuid,
    expiresAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Coupon' });

export type CouponView = z.infer<typeof couponSchema>;

export const COUPON_CODE = /^[A-Za-z0-9_-]{3,50}$/;

export const createCouponBody = z.strictObject({
  affiliateId: uuid,
  code: z.string().regex(COUPON_CODE, 'must be 3 to 50 characters from A-Z, a-z, 0-9, _ and -'),
  expiresAt: instant.nullish(),
});

/** A coupon as an entity or as a row. */
export type StoredCoupon = Stored<CouponView, 'expiresAt' | 'createdAt'>;

export const toCoupon = (coupon: StoredCoupon): CouponView => ({
  id: coupon.id,
  code: coupon.code,
  affiliateId: coupon.affiliateId,
  programId: coupon.programId,
  expiresAt: toIsoOrNull(coupon.expiresAt),
  createdAt: toIso(coupon.createdAt),
});
