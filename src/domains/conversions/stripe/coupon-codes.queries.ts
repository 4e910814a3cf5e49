import type { Context } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import { lateEvidenceSince } from '../attribute/attribution.queries.ts';
import type { StripeDiscount, StripePromotionCode } from './stripe-fact.rules.ts';

/** Returns 0 when all of the merchants know the code: its text never changes at Stripe. */
export const storePromotionCode = (
  ctx: Context,
  merchantIds: readonly string[],
  { promotionCodeId, code }: StripePromotionCode,
): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into stripe_promotion_code (merchant_id, promotion_code_id, code, created_at)
      select merchant_id, ${promotionCodeId}, ${code}, ${ctx.clock.now().toISOString()}::timestamptz
      from unnest(${merchantIds}::uuid[]) as merchant_id on conflict do nothing`,
  );

/** Returns 0 when all of the merchants know the discount: what it is of never changes. */
export const storeDiscount = (
  ctx: Context,
  merchantIds: readonly string[],
  { discountId, couponCodes }: StripeDiscount,
): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into stripe_discount (merchant_id, discount_id, coupon_codes, created_at)
      select merchant_id, ${discountId}, ${couponCodes}::text[], ${ctx.clock.now().toISOString()}::timestamptz
      from unnest(${merchantIds}::uuid[]) as merchant_id on conflict do nothing`,
  );

/** The ids of coupons and promotion codes behind those of the ids that are known discounts of the merchants. */
const findDiscounted = async (ctx: Context, merchantIds: readonly string[], ids: readonly string[]): Promise<string[]> => {
  const discountIds = ids.filter((id) => id.startsWith('di_'));
  if (discountIds.length === 0) return [];
  const found = await rows(
    ctx.em,
    db
      .selectFrom('stripe_discount')
      .select('couponCodes')
      .where('merchantId', '=', anyOf(merchantIds))
      .where('discountId', '=', anyOf(discountIds))
      .orderBy('discountId'),
  );
  return found.flatMap(({ couponCodes }) => couponCodes);
};

/** Bounds the work of one event, as late evidence does. */
const MAX_DISCOUNTS = 100;

/** Discounts of the last day of a promotion code: invoices name these in place of the code. */
export const listDiscountsOf = async (ctx: Context, merchantId: string, promotionCodeId: string): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('stripe_discount')
      .select('discountId')
      .where('merchantId', '=', merchantId)
      .where('createdAt', '>=', lateEvidenceSince(ctx).toISOString())
      .where(sql<boolean>`coupon_codes @> array[${promotionCodeId}]::text[]`)
      .orderBy('createdAt', 'desc')
      .orderBy('discountId')
      .limit(sql.lit(MAX_DISCOUNTS)),
  );
  return found.map(({ discountId }) => discountId);
};

/** What customers type for those of the ids that are known promotion codes of the merchants. */
const findPromotionTexts = async (ctx: Context, merchantIds: readonly string[], ids: readonly string[]): Promise<string[]> => {
  const promotionIds = ids.filter((id) => id.startsWith('promo_'));
  if (promotionIds.length === 0) return [];
  const found = await rows(
    ctx.em,
    db
      .selectFrom('stripe_promotion_code')
      .select('code')
      .where('merchantId', '=', anyOf(merchantIds))
      .where('promotionCodeId', '=', anyOf(promotionIds))
      .orderBy('promotionCodeId'),
  );
  return found.map(({ code }) => code);
};

/** The codes that a coupon of an affiliate may have, the strongest first: what customers typed, and then ids. */
export const listCouponCodes = async (
  ctx: Context,
  merchantIds: readonly string[],
  named: readonly string[],
): Promise<string[]> => {
  const ids = [...named, ...(await findDiscounted(ctx, merchantIds, named))];
  return [...(await findPromotionTexts(ctx, merchantIds, ids)), ...ids];
};
