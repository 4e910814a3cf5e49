import type { Period } from '../../contracts/conversions.ts';
import type { Context } from '../../platform/context.ts';
import { allOf, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { CONVERSION_SUMS } from '../merchants/index.ts';
import { findMainCurrency, startOf } from './conversions.queries.ts';
import type { ConversionStats } from './conversions.wire.ts';
import { heldConversions } from './holds.queries.ts';

interface StatsFilter {
  programId?: string | undefined;
  period: Period;
}

/**
 * The totals at the top are those of the main currency, zero when it has none; `byCurrency` begins with it, and continues with that of
 * the most recent conversion. Exact: the sums hold everything but what is held, which is counted.
 */
export const getConversionStats = async (
  ctx: Context,
  merchantId: string,
  { programId, period }: StatsFilter,
): Promise<ConversionStats> => {
  const from = startOf(ctx, period);
  const summed = CONVERSION_SUMS.ofPeriod({ merchantId, programId, period: from && { from, to: null } });
  const held = heldConversions(merchantId, { programId, from });
  const currency = await findMainCurrency(ctx, merchantId, programId);
  const byCurrency = await rows(
    ctx.em,
    sql<
      ConversionStats['byCurrency'][number]
    >`select currency, total, pending, approved, coalesce(held, 0) as held, "totalRevenue",
        "totalCommissions"
      from (select currency, sum(conversions)::int as total,
          coalesce(sum(conversions) filter (where status = 'pending'), 0)::int as pending,
          coalesce(sum(conversions) filter (where status = 'approved'), 0)::int as approved,
          coalesce(sum(revenue) filter (where status <> 'rejected'), 0)::float8 as "totalRevenue",
          sum(commission)::float8 as "totalCommissions"
        from ${summed} as sums group by currency having sum(conversions) > 0) as counted
      left join (select currency, count(*)::int as held from ${held} as found group by currency) as holds using (currency)
      left join ${latestByCurrency(merchantId, programId)} as latest using (currency)
      order by currency = ${currency} desc, sold_at desc nulls last, currency`,
  );
  const main = byCurrency.find((sums) => sums.currency === currency) ?? ZERO_TOTALS;
  return { ...main, currency, byCurrency };
};

/** Reads one row per program. */
const latestByCurrency = (merchantId: string, programId: string | undefined): RawBuilder<unknown> => {
  const programs = allOf([
    sql`p.merchant_id = ${merchantId}::uuid`,
    programId === undefined ? undefined : sql`p.id = ${programId}::uuid`,
  ]);
  return sql`(select c.currency, max(c.created_at) as sold_at
    from program p cross join lateral (
      select currency, created_at from conversion where program_id = p.id order by created_at desc, id desc limit 1) as c
    where ${programs} group by c.currency)`;
};

const ZERO_TOTALS = { total: 0, pending: 0, approved: 0, held: 0, totalRevenue: 0, totalCommissions: 0 };
