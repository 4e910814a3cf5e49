import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';

export interface LedgerFinding {
  rule: string;
  subject: string;
  detail: string;
}

// Templates: full joins of sums.

/** Stored figures of closed months against the entries. Also finds what was booked in a month before the first closed one. */
export const findWrongPeriods = (ctx: Context, limit: number): Promise<LedgerFinding[]> =>
  rows(
    ctx.em,
    sql<LedgerFinding>`with closed as (select merchant_id, month from ledger_period where closed_at is not null),
      booked as (
        select merchant_id, date_trunc('month', booked_on::timestamp)::date as month, program_id, currency, account, count(*) as entries,
          sum(amount) as amount
        from ledger_entry e where booked_on < (select max(month) + interval '1 month' from closed c where c.merchant_id = e.merchant_id)
        group by 1, 2, 3, 4, 5),
      stored as (
        select merchant_id, month, program_id, currency, account, entries, amount, balance - sum(amount) over (
          partition by merchant_id, program_id, currency, account order by month) as drift
        from ledger_period_total join closed using (merchant_id, month))
      select 'figures of a closed month are the sum of its entries' as rule, merchant_id as subject,
        format('%s, program %s, %s %s: %s in %s entries, stored as %s in %s, balance off by %s', to_char(month, 'YYYY-MM'), program_id,
          account, currency, b.amount, b.entries, s.amount, s.entries, s.drift) as detail
      from stored s full join booked b using (merchant_id, month, program_id, currency, account)
      where (coalesce(s.entries, 0), coalesce(s.amount, 0), coalesce(s.drift, 0)) <> (coalesce(b.entries, 0), coalesce(b.amount, 0), 0)
      limit ${limit}`,
  );
