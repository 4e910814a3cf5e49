import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import type { PeriodView } from '../books.wire.ts';
import { type Books, findBooks, getPeriod, lockBooks } from '../periods.queries.ts';

const nameOf = (month: string): string => month.slice(0, 7);

/**
 * Closes a month: adds up its entries, and everything that is posted later is booked in a later one. The lock waits for the transfers
 * that are being posted, and holds up those that come meanwhile.
 */
export const closeLedgerPeriod = (ctx: Context, { period }: { period: string }): Promise<PeriodView> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = merchantOf(ctx);
    const month = `${period}-01`;
    await lockBooks(ctx, merchantId);
    assertMayClose(await findBooks(ctx, merchantId), month);
    const id = await storePeriod(ctx, merchantId, month);
    await storeTotals(ctx, merchantId, month);
    await recordChange(ctx, { ownerId: merchantId, action: 'ledger_period.closed', resourceId: id, after: { period } });
    return getPeriod(ctx, { merchantId, month });
  });

/** Throws PERIOD_NOT_OVER, PERIOD_CLOSED and PERIOD_OUT_OF_ORDER. */
const assertMayClose = ({ current, first, lastClosed, next }: Books, month: string): void => {
  if (month >= current)
    throw conflict('PERIOD_NOT_OVER', 'The month is not over', { period: nameOf(month), current: nameOf(current) });
  if (lastClosed !== null && month <= lastClosed)
    throw conflict('PERIOD_CLOSED', 'The month is closed', { period: nameOf(month), lastClosed: nameOf(lastClosed) });
  // A month before that of the first entry has none: it stays open, and holds up no other.
  const earliest = first ?? current;
  const expected = next !== null && next > earliest ? next : earliest;
  if (month !== expected)
    throw conflict(
      'PERIOD_OUT_OF_ORDER',
      `Months are closed in their order, from the first entry on: ${nameOf(expected)} is next`,
      {
        period: nameOf(month),
        next: nameOf(expected),
      },
    );
};

/** A month that was opened again keeps its row. */
const storePeriod = async (ctx: Context, merchantId: string, month: string): Promise<string> => {
  const closed = { closedAt: ctx.clock.now().toISOString(), closedBy: actorName(ctx.actor) };
  const lastPostedAt = sql<string>`greatest(
    (select max(created_at) from ledger_entry
      where merchant_id = ${merchantId} and booked_on >= ${month}::date and booked_on < ${month}::date + interval '1 month'),
    (select last_posted_at from ledger_period
      where merchant_id = ${merchantId} and month = (${month}::date - interval '1 month')::date))`;
  const row = await firstRow(
    ctx.em,
    db
      .insertInto('ledger_period')
      .values({ id: ctx.ids.next(), merchantId, month, ...closed, lastPostedAt })
      .onConflict((conflict) =>
        conflict
          .columns(['merchantId', 'month'])
          .doUpdateSet(({ ref }) => ({ ...closed, lastPostedAt: ref('excluded.lastPostedAt') })),
      )
      .returning('id'),
  );
  if (!row) throw notFound('Period');
  return row.id;
};

/** Balances of the month before are carried forward, also where the month has no entry. A template: it adds up what it inserts. */
const storeTotals = (ctx: Context, merchantId: string, month: string): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into ledger_period_total (merchant_id, month, program_id, currency, account, entries, amount, balance)
      select ${merchantId}::uuid, ${month}::date, program_id, currency, account, sum(entries), sum(amount), sum(balance)
      from (
        select program_id, currency, account, 0 as entries, 0 as amount, balance from ledger_period_total
        where merchant_id = ${merchantId} and month = (${month}::date - interval '1 month')::date
        union all
        select program_id, currency, account, count(*), sum(amount), sum(amount) from ledger_entry
        where merchant_id = ${merchantId} and booked_on >= ${month}::date and booked_on < ${month}::date + interval '1 month'
        group by program_id, currency, account) as figures
      group by program_id, currency, account
      on conflict (merchant_id, month, program_id, currency, account)
        do update set entries = excluded.entries, amount = excluded.amount, balance = excluded.balance`,
  );
