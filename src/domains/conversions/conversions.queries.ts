import { type ConversionStatus, type Period, SALE_PROVIDERS } from '../../contracts/conversions.ts';
import { COUNT_MAX } from '../../contracts/limits.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { allOf, firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { list, type Window } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { countedTotal } from '../merchants/index.ts';
import { db } from '../tables.ts';
import { type ConversionView, toConversion } from './conversions.wire.ts';
import { HAS_HOLD, HOLD, newestHeldConversions } from './hold/holds.queries.ts';
import { type ConversionDetail, toConversionDetail } from './lists/conversion-detail.wire.ts';

/** Columns of a conversion `c` and its sale `s`. */
export const COLUMNS = [
  'c.id',
  'c.affiliateId',
  'c.programId',
  'c.amount',
  'c.refunded',
  'c.commission',
  'c.currency',
  'c.status',
  'c.method',
  'c.stripeSessionId',
  'c.disputedAt',
  'c.createdAt',
  's.externalId as externalSaleId',
  's.customerId',
  's.subscriptionId',
  's.metadata',
] as const;
const CONVERSION = [...COLUMNS, HOLD.as('hold')] as const;

interface ConversionFilter {
  merchantId: string;
  programId?: string | undefined;
  affiliateId?: string | undefined;
  status?: ConversionStatus | undefined;
  externalSaleId?: string | undefined;
  flagId?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** Conditions on a conversion `c` of the merchant. */
const conditionsOf = (filter: Given<ConversionFilter>): RawBuilder<unknown>[] => {
  const { merchantId, programId, affiliateId, status, externalSaleId, flagId, startDate, endDate } = filter;
  return [
    programId && sql`c.program_id = ${programId}`,
    affiliateId && sql`c.affiliate_id = ${affiliateId}`,
    status && sql`c.status = ${status}`,
    startDate && sql`c.created_at >= ${startDate}`,
    endDate && sql`c.created_at < ${endDate}`,
    flagId && sql`c.id = ${anyOf(conversionsOf(flagId))}`,
    externalSaleId && sql`c.sale_id = ${anyOf(salesOf(merchantId, externalSaleId))}`,
  ].filter((condition) => condition !== undefined);
};

const matching = (filter: Given<ConversionFilter>, { held }: { held: false | undefined }) => {
  const query = db.selectFrom('conversion as c').where('c.merchantId', '=', filter.merchantId);
  const listed = held === false ? query.where(({ not }) => not(HAS_HOLD)) : query;
  return conditionsOf(filter).reduce((found, condition) => found.where(sql<boolean>`${condition}`), listed);
};

/** Arrays of ids: what is asked for is read first, and not the conversions of everybody. */
const conversionsOf = (flagId: RawBuilder<string>) =>
  sql<readonly string[]>`array(select conversion_id from flag_conversion where flag_id = ${flagId})`;

const conversions = (held: false | undefined) =>
  list({
    name: 'conversions',
    query: (filter: Given<ConversionFilter>) =>
      matching(filter, { held }).innerJoin('sale as s', 's.id', 'c.saleId').select(CONVERSION),
    counted: (filter) => matching(filter, { held }),
    total: ({ merchantId, programId, affiliateId, status, externalSaleId, flagId, startDate, endDate }) =>
      (affiliateId ?? externalSaleId ?? flagId ?? startDate ?? endDate ?? held) === undefined
        ? countedTotal('conversion', merchantId, { programId, statuses: status && sql`array[${status}]` })
        : undefined,
    sort: { key: sql.ref('c.createdAt'), id: sql.ref('c.id'), type: 'timestamptz', ascending: false },
    toItem: toConversion,
  });

const allConversions = conversions(undefined);
const withoutHold = conversions(false);

const heldOf = (filter: Given<ConversionFilter>, window: Window) =>
  newestHeldConversions(filter.merchantId, allOf(conditionsOf(filter)), window);

/** Newest first by their ids, which are in the order of creation: flags have no other index of what they hold. */
const withHold = list({
  name: 'held-conversions',
  query: (filter: Given<ConversionFilter>, window) =>
    db
      .selectFrom('conversion as c')
      .innerJoin('sale as s', 's.id', 'c.saleId')
      .select(CONVERSION)
      .where('c.id', '=', anyOf(heldOf(filter, window))),
  counted: (filter) => sql`unnest(${heldOf(filter, { upTo: sql.lit(COUNT_MAX + 1) })})`,
  sort: { key: sql.ref('c.id'), id: sql.ref('c.id'), type: 'uuid', ascending: false },
  toItem: toConversion,
});

export const listConversions = (
  ctx: Context,
  merchantId: string,
  { held, ...query }: PageQuery & Omit<ConversionFilter, 'merchantId'> & { held?: boolean | undefined },
): Promise<Page<ConversionView>> => {
  const { programId, affiliateId, status, externalSaleId, flagId, startDate, endDate, ...page } = query;
  const listed = held === undefined ? allConversions : held ? withHold : withoutHold;
  return listed(ctx, page, { merchantId, programId, affiliateId, status, externalSaleId, flagId, startDate, endDate });
};

/**
 * Ids of a merchant's sales with an id of a payment system. It is unique per program and provider. `offset 0` makes it a look-up for
 * each program: the planner would rather read the sales of everybody.
 */
export const salesOf = (merchantId: RawBuilder<string>, externalSaleId: RawBuilder<string>): RawBuilder<readonly string[]> =>
  sql`array(${db
    .selectFrom('program as p')
    .crossJoinLateral((eb) =>
      eb
        .selectFrom('sale as s')
        .select('s.id')
        .whereRef('s.programId', '=', 'p.id')
        .where('s.provider', '=', anyOf(SALE_PROVIDERS))
        .where('s.externalId', '=', externalSaleId)
        .offset(sql.lit(0))
        .as('found'),
    )
    .select('found.id')
    .where('p.merchantId', '=', merchantId)})`;

const recentConversions = compileOnce(({ merchantId, limit }: Given<{ merchantId: string; limit: number }>) =>
  db
    .selectFrom('conversion as c')
    .innerJoin('sale as s', 's.id', 'c.saleId')
    .select(CONVERSION)
    .where('c.merchantId', '=', merchantId)
    .orderBy('c.createdAt', 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit),
);

/** The most recent conversions of a merchant, newest first. */
export const listRecentConversions = async (ctx: Context, merchantId: string, limit: number): Promise<ConversionView[]> =>
  (await rows(ctx.em, recentConversions({ merchantId, limit }))).map(toConversion);

const PERIOD_DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;

/** Included in the period; null for `all`. */
export const startOf = (ctx: Context, period: Period): Date | null =>
  period === 'all' ? null : after(ctx.clock.now(), -PERIOD_DAYS[period] * DAY_MS);

/** Condition for rows created in a period; undefined for `all`. */
export const since = (ctx: Context, period: Period): RawBuilder<boolean> | undefined => {
  const start = startOf(ctx, period);
  return start === null ? undefined : sql<boolean>`created_at >= ${start.toISOString()}`;
};

/**
 * Currency of the program with the merchant's most recent sale, attributed or not; null before the first one. Reads one row per
 * program.
 */
export const findMainCurrency = async (ctx: Context, merchantId: string, programId?: string): Promise<string | null> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('program as p')
      .crossJoinLateral((eb) =>
        eb
          .selectFrom('sale')
          .select(['sale.occurredAt', 'sale.id'])
          .whereRef('sale.programId', '=', 'p.id')
          .orderBy('sale.occurredAt', 'desc')
          .orderBy('sale.id', 'desc')
          .limit(sql.lit(1))
          .as('s'),
      )
      .select('p.currency')
      .where('p.merchantId', '=', merchantId)
      .$if(programId !== undefined, (query) => query.where('p.id', '=', programId ?? ''))
      .orderBy('s.occurredAt', 'desc')
      .orderBy('s.id', 'desc')
      .limit(sql.lit(1)),
  );
  return row?.currency ?? null;
};

const conversionById = compileOnce(({ id }: Given<{ id: string }>) =>
  db
    .selectFrom('conversion as c')
    .innerJoin('sale as s', 's.id', 'c.saleId')
    .select(CONVERSION)
    .select(['c.merchantId', 'c.saleId', 'c.includedIn as payoutId', 'c.approvedAt', 'c.releaseAt', 's.occurredAt', 's.evidence'])
    .where('c.id', '=', id),
);

/** Bounds the response: a sale may be refunded in any number of parts. */
const MAX_ENTRIES = 1_000;

const entriesOf = compileOnce(({ id }: Given<{ id: string }>) =>
  db
    .selectFrom('ledger_entry')
    .select(['transactionId', 'kind', 'account', 'amount', 'currency', 'createdAt'])
    .where('referenceId', '=', id)
    .orderBy('id')
    .limit(MAX_ENTRIES),
);

export const getConversion = async (ctx: Context, id: string): Promise<ConversionDetail> => {
  const row = readOwned(ctx, 'Conversion', await firstRow(ctx.em, conversionById({ id })));
  return toConversionDetail(row, await rows(ctx.em, entriesOf({ id })));
};
