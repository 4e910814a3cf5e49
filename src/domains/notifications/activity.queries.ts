import type { MailPeriod } from '../../contracts/workflows/digests.ts';
import type { Context } from '../../platform/context.ts';
import { type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import type { ActivityLine } from './mails/merchant-mails.ts';

/** Rows of one merchant and section that are read; of more, only that there are more is said. */
const MAX_ROWS = 1_000;

interface ActivityRow extends Omit<ActivityLine, 'isCapped'> {
  merchantId: string;
}

/** The newest rows of the period, read in the order of an index that begins with the merchant. */
const section =
  (name: string, of: { from: string; time: string; amount: RawBuilder<unknown>; where?: RawBuilder<unknown> }) =>
  (merchantId: RawBuilder<unknown>, { from, to }: MailPeriod): RawBuilder<unknown> => {
    const time = sql.ref(of.time);
    const isPriced = name !== 'affiliates';
    return sql`select ${name} as section, found.currency, count(*) as count, coalesce(sum(found.amount), 0) as amount
      from (select ${isPriced ? sql`currency` : sql`null::text`} as currency, ${of.amount} as amount from ${sql.table(of.from)}
        where merchant_id = ${merchantId} and ${time} >= ${from} and ${time} < ${to}
          ${of.where === undefined ? sql`` : sql`and ${of.where}`}
        order by ${time} desc limit ${MAX_ROWS + 1}) as found group by found.currency`;
  };

const SECTIONS = [
  section('affiliates', { from: 'affiliate', time: 'created_at', amount: sql`0` }),
  section('sales', { from: 'conversion', time: 'created_at', amount: sql`amount` }),
  section('approvals', { from: 'conversion', time: 'approved_at', amount: sql`commission` }),
  section('payouts', { from: 'payout', time: 'completed_at', amount: sql`amount`, where: sql`status = 'completed'` }),
];

/** What happened to merchants in a period; those without activity are left out. A template, for its look-ups by merchant. */
export const readActivity = async (
  ctx: Context,
  { merchantIds, period }: { merchantIds: readonly string[]; period: MailPeriod },
): Promise<Map<string, ActivityLine[]>> => {
  const id = sql`merchant.id`;
  const found = await rows(
    ctx.em,
    sql<ActivityRow>`select merchant.id as "merchantId", line.* from unnest(${merchantIds}::uuid[]) as merchant(id)
      cross join lateral (${sql.join(
        SECTIONS.map((of) => of(id, period)),
        sql` union all `,
      )}) as line`,
  );
  const lines = new Map<string, ActivityLine[]>();
  for (const { merchantId, ...row } of found) {
    const known = lines.get(merchantId) ?? [];
    lines.set(merchantId, known);
    known.push(row.count > MAX_ROWS ? { ...row, count: MAX_ROWS, isCapped: true } : { ...row, isCapped: false });
  }
  for (const known of lines.values()) capTogether(known);
  return lines;
};

/** With several currencies, the bound holds for all of them together: then none of their numbers is complete. */
const capTogether = (lines: ActivityLine[]): void => {
  for (const { section } of lines) {
    const same = lines.filter((line) => line.section === section);
    const count = same.reduce((sum, line) => sum + line.count, 0);
    if (count > MAX_ROWS) for (const line of same) line.isCapped = true;
  }
};
