import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import { type PeriodRow, type PeriodView, toPeriod } from './books.wire.ts';

/** Templates, as the selections around it: months are generated and totals are objects of a list. */
const totalsOf = sql`(select coalesce(json_agg(t order by t.currency, t.account), '[]') from (
    select account, currency, sum(entries)::bigint as entries, sum(amount)::bigint as amount, sum(balance)::bigint as balance
    from ledger_period_total where merchant_id = p.merchant_id and month = p.month group by account, currency) t)`;

/** Lists the months from the first entry to the current one, and earlier ones that are closed. */
const monthsOf = (merchantId: Given<{ merchantId: string }>['merchantId'], now: Given<{ now: string }>['now']) => sql<
  PeriodRow & { merchantId: string }
>`(
    select m.id as merchant_id, series.month::date as month, p.closed_at, p.closed_by,
      ${totalsOf} as totals
    from merchant m
      cross join lateral (select date_trunc('month', min(booked_on)::timestamp) as month from ledger_entry where merchant_id = m.id) first
      cross join lateral generate_series(
        least(first.month, (select min(month) from ledger_period where merchant_id = m.id and closed_at is not null)::timestamp),
        date_trunc('month', local_date(${now}::timestamptz, m.timezone)::timestamp), interval '1 month') as series (month)
      left join ledger_period p on p.merchant_id = m.id and p.month = series.month::date
    where m.id = ${merchantId} and (p.closed_at is not null or series.month >= first.month))`;

const periods = list({
  name: 'ledger-periods',
  query: ({ merchantId, now }: Given<{ merchantId: string; now: string }>) =>
    db.selectFrom(monthsOf(merchantId, now).as('p')).select(['p.month', 'p.closedAt', 'p.closedBy', 'p.totals']),
  sort: { key: sql`p.month::text`, id: sql.ref('p.merchant_id'), type: 'text', ascending: false },
  toItem: toPeriod,
});

/** The last month first. */
export const listLedgerPeriods = (ctx: Context, page: PageQuery): Promise<Page<PeriodView>> =>
  periods(ctx, page, { merchantId: merchantOf(ctx), now: ctx.clock.now().toISOString() });

export const getPeriod = async (
  ctx: Context,
  { merchantId, month }: { merchantId: string; month: string },
): Promise<PeriodView> => {
  const row = await firstRow(
    ctx.em,
    sql<PeriodRow>`select p.month, p.closed_at as "closedAt", p.closed_by as "closedBy", ${totalsOf} as totals
      from ledger_period p where p.merchant_id = ${merchantId} and p.month = ${month}::date`,
  );
  if (!row) throw notFound('Period');
  return toPeriod(row);
};

/** The lock that `booking_date` of the database takes too, shared by everything that posts. */
export const lockBooks = (ctx: Context, merchantId: string): Promise<number> => lockName(ctx, `books:${merchantId}`);

export interface Books {
  /** First day of the current month in the merchant's time zone. */
  current: string;
  /** Month of the first entry; null before it. */
  first: string | null;
  /** Null: no month is closed. */
  lastClosed: string | null;
  /** The month after it. */
  next: string | null;
}

/** Which month may be closed or opened. NOT_FOUND when there is no such merchant. */
export const findBooks = async (ctx: Context, merchantId: string): Promise<Books> => {
  const now = ctx.clock.now().toISOString();
  const books = await firstRow(
    ctx.em,
    sql<Books>`select date_trunc('month', local_date(${now}::timestamptz, m.timezone)::timestamp)::date::text as current,
        date_trunc('month', (select min(booked_on) from ledger_entry where merchant_id = m.id)::timestamp)::date::text as first,
        closed.month::text as "lastClosed", (closed.month + interval '1 month')::date::text as next
      from merchant m, lateral (select max(month) as month from ledger_period where merchant_id = m.id and closed_at is not null) closed
      where m.id = ${merchantId}`,
  );
  if (!books) throw notFound('Merchant');
  return books;
};
