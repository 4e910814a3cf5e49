import type { Context } from '../../../platform/context.ts';
import { listCouponPrograms } from '../../coupons/index.ts';
import type { SaleEvidence } from '../record/sale-input.steps.ts';
import { listCouponCodes } from './coupon-codes.queries.ts';
import { namedCoupons, type StoredStripeEvidence } from './stripe-evidence.rules.ts';

/** Stripe lists ids of coupons and of promotion codes; the first whose text or id is an affiliate's coupon of the program counts. */
export const toEvidence = async (
  ctx: Context,
  program: { id: string; merchantId: string },
  evidence: StoredStripeEvidence,
  at: Date,
): Promise<SaleEvidence> => {
  const { clickToken } = evidence;
  const attributedAt = evidence.attributedAt === undefined ? undefined : new Date(evidence.attributedAt);
  const named = namedCoupons(evidence);
  if (named.length === 0) return { clickToken, attributedAt };
  const codes = await listCouponCodes(ctx, [program.merchantId], named);
  const lower = codes.map((code) => code.toLowerCase());
  const found = await listCouponPrograms(ctx, { programIds: [program.id], codes: lower, at });
  const couponCode = codes.find((code) => found.some((coupon) => coupon.code === code.toLowerCase()));
  return { clickToken, couponCode, attributedAt };
};
