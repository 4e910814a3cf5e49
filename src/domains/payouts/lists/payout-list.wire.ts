import { z } from 'zod';
import { PERIODS } from '../../../contracts/conversions.ts';
import { PAYOUT_STATUSES } from '../../../contracts/payouts.ts';
import { dateRangeQuery, inOrder } from '../../../platform/http/date-range.ts';
import { affiliateFilter, currencyCode, programFilter } from '../../../platform/http/fields.ts';
import { pageQuery } from '../../../platform/http/pages.ts';
import {
  amountMinor,
  bankLine,
  dayOrInstant,
  line,
  queryBoolean,
  referralCode,
  stringOrNull,
} from '../../../platform/http/schemas.ts';

const sums = {
  totalPaid: amountMinor.describe('Sum of completed payouts'),
  totalPending: amountMinor.describe('Sum of payouts that are pending or processing; unpaid commissions are not included'),
  totalFailed: amountMinor.describe('Sum of failed payouts, also of those that came back'),
  count: z.int().describe('Number of payouts'),
};

/** The totals at the top level are those of the main currency: that of the most recent sale. */
export const payoutStatsSchema = z
  .object({
    ...sums,
    currency: stringOrNull.describe('Currency of the totals beside it; null when there are none'),
    byCurrency: z
      .array(z.object({ currency: currencyCode, ...sums }))
      .describe('The same totals for each currency, the one at the top level first'),
  })
  .meta({ id: 'PayoutStats' });

export type PayoutStats = z.infer<typeof payoutStatsSchema>;

const payoutFilters = {
  programId: programFilter,
  affiliateId: affiliateFilter,
  status: z.enum(PAYOUT_STATUSES).optional().describe('Only payouts with this status'),
  needsAttention: queryBoolean.optional().describe('true: only payouts that wait for a decision of a person'),
  paidFrom: dayOrInstant
    .optional()
    .describe(
      'Only payouts that were paid at or after this time, or from this day of your time zone on, such as 2026-01-01; the last paid first',
    ),
  paidTo: dayOrInstant
    .optional()
    .describe(
      'Only payouts that were paid before this time, or up to this day of your time zone, such as 2026-01-31; the last paid first',
    ),
  code: referralCode
    .optional()
    .describe(
      'Only payouts of the affiliate with this referral code, in any case: 3 to 50 characters from A-Z, a-z, 0-9, _ and -',
    ),
  name: line(100).optional().describe("Matches part of the affiliate's name when the payout was created"),
  reference: bankLine(140)
    .optional()
    .describe(
      'Only payouts with this payment reference, or that the rail or the bank names so, or the return of which it names so, in any case',
    ),
  q: line(140).optional().describe("Matches part of the affiliate's code or name or of a reference"),
  ...dateRangeQuery,
};

export const payoutListQuery = inOrder(z.strictObject({ ...payoutFilters, ...pageQuery }));

/** As payouts are listed, without pages. */
export const payoutExportQuery = inOrder(z.strictObject(payoutFilters));

/** What the URL of an export carries: JSON, without aliases. */
export const payoutExportFilter = z
  .strictObject(payoutFilters)
  .omit({ from: true, to: true })
  .extend({ needsAttention: z.boolean().optional() });

export const payoutStatsQuery = inOrder(
  z.strictObject({
    programId: programFilter,
    period: z.enum(PERIODS).default('all').describe('Objects created in the last 7, 30 or 90 days, or all. Default: all'),
    paidFrom: payoutFilters.paidFrom.describe(
      'Only payouts that were paid at or after this time, or from this day of your time zone on',
    ),
    paidTo: payoutFilters.paidTo.describe('Only payouts that were paid before this time, or up to this day of your time zone'),
  }),
);
