import { z } from 'zod';
import { COUPON_CODE } from '../../coupons/index.ts';
import type { StripePromotionCode } from './stripe-fact.ts';
import { stripeId } from './stripe-fields.ts';

export const promotionCode = z.object({ id: stripeId, code: z.string() });

/** Null for a text that no coupon of an affiliate can have as its code. */
export const readPromotionCode = ({ id, code }: z.infer<typeof promotionCode>): StripePromotionCode | null =>
  COUPON_CODE.test(code) ? { kind: 'promotion_code', promotionCodeId: id, code } : null;
