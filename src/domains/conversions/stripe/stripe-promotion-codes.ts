import type { Context } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';
import type { StripePromotionCode } from './stripe-fact.ts';

/** Returns 0 when all of them know the code: its text never changes at Stripe. */
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

/** What customers type for those of the ids that are known promotion codes of the merchant. */
export const findPromotionTexts = async (ctx: Context, merchantId: string, ids: readonly string[]): Promise<string[]> => {
  const promotionIds = ids.filter((id) => id.startsWith('promo_'));
  if (promotionIds.length === 0) return [];
  const found = await rows(
    ctx.em,
    sql<{ code: string }>`select code from stripe_promotion_code
      where merchant_id = ${merchantId}::uuid and promotion_code_id = any(${promotionIds}::text[]) order by promotion_code_id`,
  );
  return found.map(({ code }) => code);
};
