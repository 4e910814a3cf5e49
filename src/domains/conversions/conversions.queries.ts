import { type Period, SALE_PROVIDERS } from '../../contracts/conversions.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { type MerchantListFilter, merchantList } from '../merchants/index.ts';
import {
  type ConversionDetail,
  type ConversionDetailRow,
  type LedgerEntryRow,
  toConversionDetail,
} from './conversion-detail.wire.ts';
import { type ConversionRow, type ConversionView, toConversion } from './conversions.wire.ts';

export type ConversionFilter = PageQuery & MerchantListFilter & { externalSaleId?: string | undefined };

const COLUMNS = sql<ConversionRow>`id, affiliate_id as "affiliateId", program_id as "programId", amount::float8 as amount,
  refunded::float8 as refunded, commission::float8 as commission, currency, status, method,
  stripe_session_id as "stripeSessionId", disputed_at as "disputedAt", created_at as "createdAt",
  external_sale_id as "externalSaleId", customer_id as "customerId", subscription_id as "subscriptionId", metadata`;

/** Conversions with the fields of their sales. Each row costs one more look-up. */
const CONVERSIONS = sql`(select c.*, s.external_id as external_sale_id, s.customer_id, s.subscription_id, s.metadata, s.occurred_at,
    s.evidence
  from conversion c join sale s on s.id = c.sale_id) as conversion`;

export const listConversions = (ctx: Context, merchantId: string, filter: ConversionFilter): Promise<Page<ConversionView>> => {
  const { where, total } = merchantList('conversion', merchantId, filter);
  const { externalSaleId } = filter;
  const ofSale = externalSaleId === undefined ? undefined : sql`sale_id = any(array(${salesOf(merchantId, externalSaleId)}))`;
  return listPage(ctx, filter, {
    name: 'conversions',
    columns: COLUMNS,
    from: CONVERSIONS,
    countFrom: sql`conversion`,
    where: [...where, ofSale],
    ...(total && !ofSale ? { total } : {}),
    toItem: toConversion,
  });
};

/**
 * Ids of a merchant's sales with an id of a payment system. It is unique per program and provider. `offset 0` makes it a look-up for
 * each program: the planner would rather read the sales of everybody.
 */
export const salesOf = (merchantId: string, externalSaleId: string): RawBuilder<unknown> =>
  sql`select found.id from program p cross join lateral (
      select s.id from sale s where s.program_id = p.id and s.provider = any(${SALE_PROVIDERS}::text[])
        and s.external_id = ${externalSaleId} offset 0) as found
    where p.merchant_id = ${merchantId}::uuid`;

/** The most recent conversions of a merchant, newest first. */
export const listRecentConversions = async (ctx: Context, merchantId: string, limit: number): Promise<ConversionView[]> =>
  (
    await rows(
      ctx.em,
      sql<ConversionRow>`select ${COLUMNS} from ${CONVERSIONS} where merchant_id = ${merchantId}::uuid
        order by created_at desc, id desc limit ${limit}`,
    )
  ).map(toConversion);

const PERIOD_DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;

/** Included in the period; null for `all`. */
export const startOf = (ctx: Context, period: Period): Date | null =>
  period === 'all' ? null : after(ctx.clock.now(), -PERIOD_DAYS[period] * DAY_MS);

/** Condition for rows created in a period; undefined for `all`. */
export const since = (ctx: Context, period: Period): RawBuilder<unknown> | undefined => {
  const start = startOf(ctx, period);
  return start === null ? undefined : sql`created_at >= ${start.toISOString()}::timestamptz`;
};

/**
 * Currency of the program with the merchant's most recent sale, attributed or not; null before the first one. Reads one row per
 * program.
 */
export const findMainCurrency = async (ctx: Context, merchantId: string, programId?: string): Promise<string | null> => {
  const program = programId === undefined ? sql`true` : sql`p.id = ${programId}::uuid`;
  const row = await firstRow(
    ctx.em,
    sql<{ currency: string }>`select p.currency from program p cross join lateral (
        select occurred_at, id from sale where program_id = p.id order by occurred_at desc, id desc limit 1) s
      where p.merchant_id = ${merchantId}::uuid and ${program} order by s.occurred_at desc, s.id desc limit 1`,
  );
  return row?.currency ?? null;
};

/** Bounds the response: a sale may be refunded in any number of parts. */
const MAX_ENTRIES = 1_000;

export const getConversion = async (ctx: Context, id: string): Promise<ConversionDetail> => {
  const found = await firstRow(
    ctx.em,
    sql<ConversionDetailRow & { merchantId: string }>`
      select ${COLUMNS}, merchant_id as "merchantId", sale_id as "saleId", included_in as "payoutId", approved_at as "approvedAt",
        release_at as "releaseAt", occurred_at as "occurredAt", evidence
      from ${CONVERSIONS} where id = ${id}::uuid`,
  );
  const row = readOwned(ctx, 'Conversion', found);
  const entries = await rows(
    ctx.em,
    sql<LedgerEntryRow>`select transaction_id as "transactionId", kind, account, amount::float8 as amount, currency,
        created_at as "createdAt"
      from ledger_entry where reference_id = ${id}::uuid order by id limit ${MAX_ENTRIES}`,
  );
  return toConversionDetail(row, entries);
};
