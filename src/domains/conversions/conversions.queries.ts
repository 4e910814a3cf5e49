import type { AttributionMethod, ConversionStatus, Period } from '../../contracts/conversions.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { allOf, type RawBuilder, rows, sql, toIso } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { type MerchantListFilter, merchantList } from '../merchants/index.ts';
import type { ConversionStats, ConversionView } from './conversions.wire.ts';

export type ConversionFilter = PageQuery & MerchantListFilter;

interface ConversionRow {
  id: string;
  affiliate_id: string;
  program_id: string;
  amount: number;
  refunded: number;
  commission: number;
  currency: string;
  status: ConversionStatus;
  method: AttributionMethod;
  stripe_session_id: string | null;
  created_at: string;
}

const COLUMNS = sql<ConversionRow>`id, affiliate_id, program_id, amount::float8 as amount, refunded::float8 as refunded,
  commission::float8 as commission, currency, status, method, stripe_session_id, created_at`;

const toView = (row: ConversionRow): ConversionView => ({
  id: row.id,
  affiliateId: row.affiliate_id,
  programId: row.program_id,
  amount: row.amount,
  refundedAmount: row.refunded,
  commission: row.commission,
  currency: row.currency,
  status: row.status,
  method: row.method,
  stripeSessionId: row.stripe_session_id,
  createdAt: toIso(row.created_at),
});

export const listConversions = (ctx: Context, merchantId: string, filter: ConversionFilter): Promise<Page<ConversionView>> =>
  listPage(ctx, filter, {
    name: 'conversions',
    columns: COLUMNS,
    from: sql`conversion`,
    ...merchantList('conversion', merchantId, filter),
    toItem: toView,
  });

export const recentConversions = async (ctx: Context, merchantId: string, limit: number): Promise<ConversionView[]> =>
  (
    await rows(
      ctx.em,
      sql<ConversionRow>`select ${COLUMNS} from conversion where merchant_id = ${merchantId}::uuid
        order by created_at desc, id desc limit ${limit}`,
    )
  ).map(toView);

const PERIOD_DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;

/** Start of a published period; undefined for `all`. */
export const since = (ctx: Context, period: Period): RawBuilder<unknown> | undefined =>
  period === 'all'
    ? undefined
    : sql`created_at >= ${new Date(ctx.clock.now().getTime() - PERIOD_DAYS[period] * DAY_MS).toISOString()}::timestamptz`;

/** Main currency first: that of the most recent conversion. */
export const conversionStats = async (
  ctx: Context,
  merchantId: string,
  filter: { programId?: string | undefined; period: Period },
): Promise<ConversionStats> => {
  const where = allOf([
    sql`merchant_id = ${merchantId}::uuid`,
    filter.programId === undefined ? undefined : sql`program_id = ${filter.programId}::uuid`,
    since(ctx, filter.period),
  ]);
  const byCurrency = await rows(
    ctx.em,
    sql<ConversionStats['byCurrency'][number]>`select currency, count(*)::int as total,
        count(*) filter (where status = 'pending')::int as pending,
        count(*) filter (where status = 'approved')::int as approved,
        coalesce(sum(amount - refunded), 0)::float8 as "totalRevenue",
        coalesce(sum(commission), 0)::float8 as "totalCommissions"
      from conversion where ${where} group by currency order by max(created_at) desc`,
  );
  const { currency, ...main } = byCurrency[0] ?? { currency: null, ...NOTHING };
  return { ...main, currency, byCurrency };
};

const NOTHING = { total: 0, pending: 0, approved: 0, totalRevenue: 0, totalCommissions: 0 };
