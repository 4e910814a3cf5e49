import type { AttributionMethod } from '../../contracts/conversions.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import type { Attribution, CustomerHistory } from './attribution.ts';
import type { NewSale } from './sale-input.ts';

/** The affiliate of this program with a referral code, blocked or not; null when there is none. */
export const findReferral = async (ctx: Context, programId: string, code: string | undefined): Promise<Attribution | null> => {
  if (code === undefined) return null;
  const found = await firstRow(
    ctx.em,
    sql<{ id: string }>`select a.id from referral_code r join affiliate a on a.id = r.affiliate_id
      where r.code = ${code.toLowerCase()} and a.program_id = ${programId}::uuid`,
  );
  return found && { affiliateId: found.id, method: 'metadata' };
};

interface HistoryRow {
  hasEarlierSale: boolean;
  firstMatchedAt: string | null;
  affiliateId: string | null;
  method: AttributionMethod | null;
}

/** The customer's sales that occurred before this one, or at the same time. Each part reads one index row. */
export const getCustomerHistory = async (ctx: Context, sale: NewSale): Promise<CustomerHistory> => {
  const customer = sql`program_id = ${sale.programId}::uuid and customer_id = ${sale.customerId}`;
  const matched = sql`${customer} and matched_affiliate_id is not null`;
  const earlier = sql`occurred_at <= ${sale.occurredAt.toISOString()}::timestamptz`;
  const found = await firstRow(
    ctx.em,
    sql<HistoryRow>`
      select exists (select 1 from sale where ${customer} and ${earlier}) as "hasEarlierSale",
        (select min(occurred_at) from sale where ${matched}) as "firstMatchedAt",
        last.matched_affiliate_id as "affiliateId", last.matched_method as method
      from (select 1) as one left join lateral (
        (select matched_affiliate_id, matched_method, 1 as priority from sale
          where ${matched} and subscription_id = ${sale.subscriptionId} and ${earlier}
          order by occurred_at desc, id desc limit 1)
        union all
        (select matched_affiliate_id, matched_method, 2 from sale where ${matched} and ${earlier}
          order by occurred_at desc, id desc limit 1)
        order by priority limit 1) as last on true`,
  );
  return {
    hasEarlierSale: found?.hasEarlierSale ?? false,
    lastMatch: found?.affiliateId && found.method ? { affiliateId: found.affiliateId, method: found.method } : null,
    firstMatchedAt: found?.firstMatchedAt ? new Date(found.firstMatchedAt) : null,
  };
};

/** The customer's first conversion after a sale that still has, or had, a commission. Reads sales that were credited only. */
export const findFirstConversionAfter = (ctx: Context, sale: NewSale): Promise<{ id: string; affiliateId: string } | null> =>
  firstRow(
    ctx.em,
    sql<{ id: string; affiliateId: string }>`select c.id, c.affiliate_id as "affiliateId"
      from sale s join conversion c on c.sale_id = s.id
      where s.program_id = ${sale.programId}::uuid and s.customer_id = ${sale.customerId}
        and s.occurred_at > ${sale.occurredAt.toISOString()}::timestamptz and s.affiliate_id is not null
        and c.status <> 'rejected' and not (c.status = 'refunded' and c.approved_at is null)
      order by s.occurred_at, s.id limit 1`,
  );
