import { z } from 'zod';
import { ACCOUNTS, type Account } from '../../contracts/ledger.ts';
import { toIsoOrNull } from '../../platform/database/sql.ts';
import { inOrder } from '../../platform/http/date-range.ts';
import { currencyCode, programFilter, programId } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { amountMinor, dayOrInstant, stringOrNull, timestampOrNull } from '../../platform/http/schemas.ts';

const ACCOUNT =
  '`pending`, `payable`, `in_payout` and `paid`: what affiliates have earned, by how far it is on its way to them. Other accounts are yours: `merchant_expense` is what your program cost, with a negative sign, `rail_fees` what providers charged';

const account = z.enum(ACCOUNTS).describe(ACCOUNT);

const month = z
  .string()
  .max(7)
  .regex(/^[1-9]\d{3}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-03');
const lastDayOf = (text: string): string => {
  const [year = 0, number = 0] = text.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
};

const YEAR = '[1-9]\\d{3}';
const LEAP_YEAR = '(?:[1-9]\\d(?:[2468][048]|[13579][26]|0[48])|(?:[2468][048]|[13579][26])00)';
const DAY_OF_YEAR =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))';
/** Without lookahead: generators of clients and of tests do not understand it. */
const DAY_OR_MONTH = new RegExp(`^(?:${YEAR}-(?:0[1-9]|1[0-2])|${LEAP_YEAR}-02-29|${YEAR}-${DAY_OF_YEAR})$`);

/** A day as text, or a month, which stands for its first or last day. */
const dayOrMonth = (dayOf: (text: string) => string) =>
  z
    .string()
    .max(10)
    .regex(DAY_OR_MONTH, 'must be a day such as 2026-03-31 or a month such as 2026-03')
    .transform((text) => (text.length === 7 ? dayOf(text) : text));

export const journalQuery = inOrder(
  z.strictObject({
    from: dayOrMonth((text) => `${text}-01`)
      .optional()
      .describe('First day of booking, such as `2026-03-01`, or a month'),
    to: dayOrMonth(lastDayOf).optional().describe('Last day of booking, such as `2026-03-31`, or a month'),
  }),
);
export type JournalFilter = z.output<typeof journalQuery>;

export const balancesQuery = z.strictObject({
  at: dayOrInstant
    .optional()
    .describe(
      'Everything that was posted up to this time, or up to the end of this day of your time zone; without it, up to now',
    ),
  programId: programFilter,
  ...pageQuery,
});

export const balanceSchema = z
  .object({
    account,
    programId,
    currency: currencyCode,
    amount: amountMinor.describe('Sum of the entries. All balances of a program and currency add up to zero'),
  })
  .meta({ id: 'LedgerAccountBalance' });
export type BalanceView = z.infer<typeof balanceSchema>;

export const periodParams = z.strictObject({ period: month.describe('Month, such as `2026-03`') });
export const periodsQuery = z.strictObject(pageQuery);

export const periodSchema = z
  .object({
    period: z.string().describe('Month of your time zone, such as `2026-03`'),
    status: z
      .enum(['open', 'closed'])
      .describe('`closed`: nothing is booked in the month any more, so its figures never change. `open`: all others'),
    closedAt: timestampOrNull.describe('When the month was closed; null while it is open'),
    closedBy: stringOrNull.describe('Who closed the month: `key:<id>` of the API key; null while it is open'),
    totals: z
      .array(
        z.object({
          account,
          currency: currencyCode,
          entries: z.int().describe('Entries of the month'),
          amount: amountMinor.describe('Sum of the entries of the month'),
          balance: amountMinor.describe('Sum of these and all earlier entries: the balance at the end of the month'),
        }),
      )
      .describe('Figures of a closed month; empty while it is open'),
  })
  .meta({ id: 'LedgerPeriod' });
export type PeriodView = z.infer<typeof periodSchema>;

export interface PeriodRow {
  month: string;
  closedAt: string | null;
  closedBy: string | null;
  totals: { account: Account; currency: string; entries: number; amount: number; balance: number }[];
}

export const toPeriod = ({ month, closedAt, closedBy, totals }: PeriodRow): PeriodView => ({
  period: month.slice(0, 7),
  status: closedAt === null ? 'open' : 'closed',
  closedAt: toIsoOrNull(closedAt),
  closedBy: closedAt === null ? null : closedBy,
  totals: closedAt === null ? [] : totals,
});
