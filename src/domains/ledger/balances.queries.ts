import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { sql } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import type { BalanceView } from './books.wire.ts';

interface BalancesAt {
  merchantId: string;
  at: string;
  programId: string | undefined;
}

/**
 * The figures of the last closed month whose entries had all been posted by then, and the entries after it: what is added up does not
 * grow with the age of books that are closed every month.
 */
const balancesAt = ({ merchantId, at, programId }: Given<BalancesAt>) => {
  const ofProgram = programId ? sql`and program_id = ${programId}` : sql``;
  return sql<BalanceView & { place: string }>`(
    with closed as (select max(month) as month from ledger_period
      where merchant_id = ${merchantId} and closed_at is not null and last_posted_at <= ${at}::timestamptz)
    select account, program_id, currency, sum(amount)::bigint as amount, currency || ' ' || account as place from (
      select account, program_id, currency, balance as amount from ledger_period_total
      where merchant_id = ${merchantId} and month = (select month from closed) ${ofProgram}
      union all
      select account, program_id, currency, amount from ledger_entry
      where merchant_id = ${merchantId} and created_at <= ${at}::timestamptz ${ofProgram}
        and booked_on >= coalesce((select month + interval '1 month' from closed), '-infinity')) as posted
    group by account, program_id, currency having sum(amount) <> 0)`;
};

const balances = list({
  name: 'ledger-balances',
  query: (given: Given<BalancesAt>) =>
    db.selectFrom(balancesAt(given).as('b')).select(['b.account', 'b.programId', 'b.currency', 'b.amount']),
  sort: { key: sql.ref('b.place'), id: sql.ref('b.program_id'), type: 'text', ascending: true },
  toItem: ({ account, programId, currency, amount }): BalanceView => ({ account, programId, currency, amount }),
});

/** By currency and account; those that are zero are left out. */
export const listLedgerBalances = (
  ctx: Context,
  { at, programId, ...page }: PageQuery & { at?: string | undefined; programId?: string | undefined },
): Promise<Page<BalanceView>> =>
  balances(ctx, page, { merchantId: merchantOf(ctx), at: at ?? ctx.clock.now().toISOString(), programId });
