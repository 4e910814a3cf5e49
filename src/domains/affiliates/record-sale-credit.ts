import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

export interface SaleCredit {
  affiliateId: string;
  conversions: number;
  /** Minor units of the program's currency; negative for refunds. */
  revenue: number;
  earnings: number;
}

/** Adds to the totals of an affiliate. The balance's lock, which every caller holds, orders the writers. Not idempotent: the caller's own rows must ensure that it runs once. */
export const recordSaleCredit = async (ctx: Context, credit: SaleCredit): Promise<void> => {
  await execute(
    ctx.em,
    sql`update affiliate_totals set
        conversions = conversions + ${credit.conversions}::bigint,
        revenue = revenue + ${credit.revenue}::bigint,
        earnings = earnings + ${credit.earnings}::bigint
      where affiliate_id = ${credit.affiliateId}::uuid`,
  );
};
