import { LockMode } from '@mikro-orm/core';
import type { AttributionMethod, ConversionStatus, Period } from '../../contracts/conversions.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';
import { DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { allOf, execute, firstRow, type RawBuilder, rows, sql, toIso } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import type { Page } from '../../platform/http/operation.ts';
import { countedTotal, listPage, type PageQuery } from '../../platform/http/pages.ts';
import type { Claim, SaleHistory } from './attribution.ts';
import type { ConversionStats, ConversionView } from './conversions.wire.ts';
import { Sale } from './sale.entity.ts';
import { SaleRefund } from './sale-refund.entity.ts';

export interface SaleAddress {
  programId: string;
  provider: string;
  externalId: string;
}

export interface NewSale extends SaleAddress {
  factsHash: string;
  amount: number;
  currency: string;
  customerId: string;
  customerEmailDigest: string | null;
  customerEmailDomain: string | null;
  subscriptionId: string | null;
  occurredAt: Date;
}

export interface NewRefund extends SaleAddress {
  externalSaleId: string;
  factsHash: string;
  amount: number;
  occurredAt: Date;
}

const lockText = (ctx: Context, text: string): Promise<number> =>
  execute(ctx.em, sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`);

/** One event about one sale at a time. */
export const lockSale = (ctx: Context, at: SaleAddress): Promise<number> =>
  lockText(ctx, `sale:${at.programId}:${at.provider}:${at.externalId}`);

/** "First payment of a customer" is decided by one sale at a time. */
export const lockCustomer = (ctx: Context, sale: NewSale): Promise<number> =>
  lockText(ctx, `customer:${sale.programId}:${sale.customerId}`);

export const shareProgram = async (ctx: Context, programId: string): Promise<{ currency: string; status: ProgramStatus }> => {
  const program = await firstRow(
    ctx.em,
    sql<{
      currency: string;
      status: ProgramStatus;
    }>`select currency, status from program where id = ${programId}::uuid for share`,
  );
  invariant(program, 'a program is never deleted');
  return program;
};

export const findSale = (ctx: Context, at: SaleAddress) =>
  firstRow(
    ctx.em,
    sql<{ id: string; factsHash: string; conversionId: string | null }>`
      select s.id, s.facts_hash as "factsHash", c.id as "conversionId" from sale s left join conversion c on c.sale_id = s.id
      where s.program_id = ${at.programId}::uuid and s.provider = ${at.provider} and s.external_id = ${at.externalId}`,
  );

export const findConversionId = async (ctx: Context, saleId: string): Promise<string | null> =>
  (await firstRow(ctx.em, sql<{ id: string }>`select id from conversion where sale_id = ${saleId}::uuid`))?.id ?? null;

export const insertSale = async (ctx: Context, sale: NewSale, credit: Claim | null): Promise<Sale> => {
  const row = ctx.em.create(Sale, {
    ...sale,
    id: ctx.ids.next(),
    refunded: 0,
    affiliateId: credit?.affiliateId ?? null,
    method: credit?.method ?? null,
    createdAt: ctx.clock.now(),
  });
  await ctx.em.flush();
  return row;
};

export const findRefund = (ctx: Context, at: SaleAddress): Promise<SaleRefund | null> =>
  ctx.em.findOne(SaleRefund, { programId: at.programId, provider: at.provider, externalId: at.externalId });

const MOST_WAITING = 1_000;

export const waitingRefunds = (ctx: Context, sale: Sale): Promise<SaleRefund[]> =>
  ctx.em.find(
    SaleRefund,
    { programId: sale.programId, provider: sale.provider, externalSaleId: sale.externalId, appliedAt: null },
    { orderBy: { occurredAt: 'asc', id: 'asc' }, limit: MOST_WAITING, lockMode: LockMode.PESSIMISTIC_WRITE },
  );

/** An approved affiliate of this program by referral code; blocked ones are credited with nothing new. */
export const referrerOf = async (ctx: Context, programId: string, code: string | undefined): Promise<Claim | null> => {
  if (code === undefined) return null;
  const found = await firstRow(
    ctx.em,
    sql<{ id: string }>`select a.id from referral_code r join affiliate a on a.id = r.affiliate_id
      where r.code = ${code.toLowerCase()} and a.program_id = ${programId}::uuid and a.status = 'approved'`,
  );
  return found && { affiliateId: found.id, method: 'metadata' };
};

export const historyOf = async (ctx: Context, sale: NewSale): Promise<SaleHistory> => {
  const found = await firstRow(
    ctx.em,
    sql<{ sales: number; first: string | null; affiliate: string | null; method: AttributionMethod | null }>`
      select count(*)::int as sales, min(s.occurred_at) filter (where s.affiliate_id is not null) as first,
        (array_agg(s.affiliate_id order by s.occurred_at desc, s.id desc) filter (where a.status = 'approved'))[1] as affiliate,
        (array_agg(s.method order by s.occurred_at desc, s.id desc) filter (where a.status = 'approved'))[1] as method
      from sale s left join affiliate a on a.id = s.affiliate_id
      where s.program_id = ${sale.programId}::uuid and s.customer_id = ${sale.customerId}`,
  );
  return {
    sales: found?.sales ?? 0,
    lastCredit: found?.affiliate && found.method ? { affiliateId: found.affiliate, method: found.method } : null,
    firstCreditedAt: found?.first ? new Date(found.first) : null,
  };
};

export const isInPayout = async (ctx: Context, conversionId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    sql`select 1 from payout_item where kind = 'commission' and subject_id = ${conversionId}::uuid and active`,
  )) !== null;

export const dueConversions = (ctx: Context, limit: number): Promise<{ id: string; affiliateId: string }[]> =>
  rows(
    ctx.em,
    sql<{ id: string; affiliateId: string }>`select id, affiliate_id as "affiliateId" from conversion
      where approved_at is null and screened_at is not null and status in ('pending','partially_refunded')
        and release_at <= ${ctx.clock.now().toISOString()}::timestamptz
      order by release_at, id limit ${limit}`,
  );

/** One line of a payout: a commission in full, or what a refund after payment took back. */
export interface PayableItem {
  kind: 'commission' | 'adjustment';
  subjectId: string;
  amount: number;
}

/** Everything a payout of this membership takes. The caller holds the membership's balance lock. */
export const payableItems = (ctx: Context, affiliateId: string): Promise<PayableItem[]> =>
  rows(
    ctx.em,
    sql<PayableItem>`select 'commission' as kind, c.id as "subjectId", (c.commission + c.adjusted)::float8 as amount
      from conversion c where c.affiliate_id = ${affiliateId}::uuid and c.approved_at is not null and c.commission + c.adjusted > 0
        and not exists (select 1 from payout_item i where i.kind = 'commission' and i.subject_id = c.id and i.active)
      union all
      select 'adjustment', d.id, d.amount::float8 from commission_adjustment d where d.affiliate_id = ${affiliateId}::uuid
        and not exists (select 1 from payout_item i where i.kind = 'adjustment' and i.subject_id = d.id and i.active)`,
  );

export interface ConversionFilter extends PageQuery {
  programId?: string | undefined;
  affiliateId?: string | undefined;
  status?: ConversionStatus | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

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

export const listConversions = (ctx: Context, merchantId: string, filter: ConversionFilter): Promise<Page<ConversionView>> => {
  const { programId, affiliateId, status, startDate, endDate } = filter;
  const counted = affiliateId === undefined && startDate === undefined && endDate === undefined;
  return listPage(ctx, filter, {
    name: 'conversions',
    columns: COLUMNS,
    from: sql`conversion`,
    where: [
      sql`merchant_id = ${merchantId}::uuid`,
      programId === undefined ? undefined : sql`program_id = ${programId}::uuid`,
      affiliateId === undefined ? undefined : sql`affiliate_id = ${affiliateId}::uuid`,
      status === undefined ? undefined : sql`status = ${status}`,
      startDate === undefined ? undefined : sql`created_at >= ${startDate}::timestamptz`,
      endDate === undefined ? undefined : sql`created_at <= ${endDate}::timestamptz`,
    ],
    ...(counted ? { total: countedTotal('conversion', merchantId, { programId, statuses: status && [status] }) } : {}),
    toItem: toView,
  });
};

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
