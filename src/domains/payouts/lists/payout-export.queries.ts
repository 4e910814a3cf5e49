import type { z } from 'zod';
import { toDecimal } from '../../../contracts/currencies.ts';
import type { Context } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { createCsvUrl, csvDownload } from '../../../platform/http/csv-download.ts';
import { list } from '../../../platform/http/lists.ts';
import { localIso } from '../../../platform/local-time.ts';
import { db } from '../../tables.ts';
import { paidAtIn, paidAtOf } from '../manual/payment-time.steps.ts';
import { matchesPayout, type PayoutFilter, type PayoutValues, payoutValuesOf } from './payout-list.queries.ts';
import { payoutExportFilter } from './payout-list.wire.ts';

/** How the last attempt was named by the rail. A look-up for each row of a batch. */
const railReference = sql<string | null>`(select t.rail_reference from payout_attempt t where t.payout_id = payout.id
  order by t.n desc limit 1)`;

const timeZone = sql<string>`(select m.timezone from merchant m where m.id = payout.merchant_id)`;

/** Newest first; with a time of payment, the last paid first. */
const exported = ({ needsAttention, paidFrom, paidTo }: PayoutFilter) =>
  list({
    name: 'payouts-exported',
    query: (given: Given<PayoutValues>) =>
      db
        .selectFrom('payout')
        .select([
          'id',
          'affiliateCode',
          'affiliateName',
          'programName',
          'paymentReference',
          'amount',
          'currency',
          'rail',
          'status',
          'retryOf',
        ])
        .select(['fee', 'bankReference', 'executedAt', 'railPaidAt', 'completedAt', 'failedAt'])
        .select([railReference.as('railReference'), timeZone.as('timeZone')])
        .where(matchesPayout(given, needsAttention)),
    sort: {
      key: (paidFrom ?? paidTo) === undefined ? sql.ref('createdAt') : paidAtIn(''),
      id: sql.ref('id'),
      type: 'timestamptz',
      ascending: false,
    },
    toItem: (row) => row,
  });

type ExportedPayout =
  ReturnType<typeof exported> extends { all(...args: never): { batches(): AsyncIterable<readonly (infer Row)[]> } } ? Row : never;

/** A time begins with the day that it is on for the merchant. */
const localText = (time: string | null, { timeZone }: ExportedPayout): string | null =>
  time === null ? null : localIso(new Date(time), timeZone);

/** The payouts of a merchant for the books. Amounts are decimal. */
export const payoutCsv = csvDownload({
  name: 'payouts',
  scope: 'payouts:read',
  filter: payoutExportFilter satisfies z.ZodType<PayoutFilter>,
  columns: {
    payoutId: ({ id }: ExportedPayout) => id,
    code: ({ affiliateCode }) => affiliateCode,
    name: ({ affiliateName }) => affiliateName,
    program: ({ programName }) => programName,
    gross: ({ amount, currency }) => toDecimal(amount, currency),
    fee: ({ fee, currency }) => (fee === null ? null : toDecimal(fee, currency)),
    currency: ({ currency }) => currency.toUpperCase(),
    rail: ({ rail }) => rail,
    reference: ({ bankReference, railReference }) => bankReference ?? railReference,
    status: ({ status }) => status,
    paid: (payout) => localText(paidAtOf(payout), payout),
    returned: (payout) => (payout.status === 'failed' && payout.completedAt ? localText(payout.failedAt, payout) : null),
    retryOf: ({ retryOf }) => retryOf,
    recorded: (payout) => localText(payout.completedAt, payout),
    paymentReference: ({ paymentReference }) => paymentReference,
  },
  source: (ctx, { merchantId, ...filter }) => exported(filter).all(ctx, payoutValuesOf(merchantId, filter)),
});

/** A URL of the file. EXPORT_TOO_LARGE when it would not be whole. */
export const exportPayouts = (ctx: Context, filter: PayoutFilter) => createCsvUrl(ctx, payoutCsv, filter);
