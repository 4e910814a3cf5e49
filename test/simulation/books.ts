import { firstRow, sql } from '../../src/platform/database/sql.ts';
import type { Runtime } from '../../src/runtime.ts';
import { operator } from '../chaos/support/settled.ts';

/** Where commissions are, in the order in which they are drawn. Together they are all commissions that were ever booked. */
export const MONEY_STATES = ['paid', 'inPayout', 'payable', 'held', 'pending', 'reversed'] as const;
export type MoneyState = (typeof MONEY_STATES)[number];

/** Minor units of one currency, by state. */
export type Money = Record<MoneyState, number>;

export interface DayOfMoney {
  day: number;
  money: Money;
}

/** Unpaid commissions that an open flag holds: pending ones and payable ones. */
const held = (currency: string) => sql`select
    coalesce(sum(commission) filter (where approved_at is null), 0) as pending,
    coalesce(sum(commission + adjusted) filter (where approved_at is not null), 0) as payable
  from conversion c
  where currency = ${currency} and status in ('pending','approved','partially_refunded') and included_in is null
    and exists (select from flag_conversion l join flag f on f.id = l.flag_id
      where l.conversion_id = c.id and f.hold_ended_at is null)`;

/** Commissions of all merchants in one currency. What affiliates owe after refunds reduces the payable money. */
export const readMoney = async (runtime: Runtime, currency: string): Promise<Money> => {
  const money = await firstRow(
    operator(runtime).em,
    sql<Money>`select (b.pending - h.pending)::float8 as pending, (h.pending + h.payable)::float8 as held,
        (b.payable - h.payable)::float8 as payable, b.in_payout::float8 as "inPayout", b.paid::float8 as paid,
        r.reversed::float8 as reversed
      from (select coalesce(sum(pending), 0) as pending, coalesce(sum(payable), 0) as payable,
          coalesce(sum(in_payout), 0) as in_payout, coalesce(sum(paid), 0) as paid
        from ledger_balance where currency = ${currency}) b,
      (${held(currency)}) h,
      (select coalesce(sum(abs(amount)), 0) as reversed from ledger_entry
        where account = 'merchant_expense' and kind in ('refund','rejection') and currency = ${currency}) r`,
  );
  if (!money) throw new Error('the query returned no row');
  return money;
};
