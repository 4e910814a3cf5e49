import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

export interface SaleCredit {
  affiliateId: string;
  conversions: number;
  /** Minor units of the program's currency; negative for refunds. */
  revenue: number;
  earnings: number;
}

/** Adds to the totals of an affiliate. Not idempotent: the caller's own rows must ensure that it runs once. */
export const recordSaleCredit = async (ctx: Context, credit: SaleCredit): Promise<void> => {
  await execute(
    ctx.em,
    sql`update affiliate set
        total_conversions = total_conversions + ${credit.conversions}::bigint,
        total_revenue = total_revenue + ${credit.revenue}::bigint,
        total_earnings = total_earnings + ${credit.earnings}::bigint,
        updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where id = ${credit.affiliateId}::uuid`,
  );
};
