import type { Given } from '../../platform/database/compiled.ts';
import { type RawBuilder, sql } from '../../platform/database/sql.ts';

/** Amounts are minor units of the program's currency; negative for refunds. */
export interface SaleCredit {
  conversions: number;
  revenue: number;
  earnings: number;
}

/**
 * Adds to the totals of an affiliate: a write of `postingWith`, so that the lock of the balance orders the writers. A template, as the
 * statement that it is a part of, which the benchmark of sale events measures.
 */
export const saleCredit = (credit: Given<SaleCredit>): RawBuilder<unknown> => sql`totals as (
  update affiliate_totals set
    conversions = conversions + ${credit.conversions}::bigint,
    revenue = revenue + ${credit.revenue}::bigint,
    earnings = earnings + ${credit.earnings}::bigint
  from balance where affiliate_totals.affiliate_id = balance.affiliate_id)`;
