import { z } from 'zod';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { affiliateId, createdAt, id, programId } from '../../platform/http/fields.ts';
import { instant, timestampOrNull, uuid } from '../../platform/http/schemas.ts';

export const couponSchema = z
  .object({
    id,
    code: z.string().describe('Code as customers enter it, in any case'),
    affiliateId,
    programId,
    expiresAt: timestampOrNull.describe('Sales from this time on are not credited by the coupon; null if it does not expire'),
    createdAt,
  })
  .meta({ id: 'Coupon' });

export type CouponView = z.infer<typeof couponSchema>;

export const COUPON_CODE = /^[A-Za-z0-9_-]{3,50}$/;

export const createCouponBody = z.strictObject({
  affiliateId: uuid.describe('Affiliate: the membership of one person in one program, as returned by `GET /affiliates`'),
  code: z
    .string()
    .regex(COUPON_CODE, 'must be 3 to 50 characters from A-Z, a-z, 0-9, _ and -')
    .describe('Code as customers enter it, in any case: 3 to 50 characters from A-Z, a-z, 0-9, _ and -'),
  expiresAt: instant
    .nullish()
    .describe('Sales from this time on are not credited by the coupon. Default: null, it does not expire'),
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
