import { z } from 'zod';
import { currencyCode } from '../../platform/http/fields.ts';
import { amountMinor, stringOrNull } from '../../platform/http/schemas.ts';
import { heldSchema } from '../conversions/index.ts';

export const sums = {
  total: amountMinor.describe('Everything that you earned, after refunds: the sum of the four amounts that follow'),
  pending: amountMinor.describe(
    'Commissions in their hold period, not payable yet. This is not the `pendingAmount` of `GET /payouts/pending`',
  ),
  available: amountMinor.describe('Approved and unpaid. Negative when refunds and adjustments exceed unpaid commissions'),
  inPayout: amountMinor.describe('In payouts that are pending or processing'),
  paid: amountMinor.describe('Paid by completed payouts'),
};

const sumsWithHeld = {
  ...sums,
  held: heldSchema.describe('The part of `available` that is not paid for now, by what holds it'),
};

export const mainCurrency = stringOrNull.describe('Currency of the amounts beside it; null when you joined no program');

export const earningsSchema = z
  .object({
    ...sumsWithHeld,
    currency: mainCurrency,
    byCurrency: z
      .array(z.object({ currency: currencyCode, ...sumsWithHeld }))
      .describe('The same totals for each currency, the one at the top level first'),
  })
  .meta({ id: 'Earnings' });

export type EarningsView = z.infer<typeof earningsSchema>;

/** Sums in one currency, from the ledger. */
export interface CurrencySums {
  currency: string;
  programs: number;
  activePrograms: number;
  pending: number;
  available: number;
  inPayout: number;
  paid: number;
  /** Part of `available`. */
  held: number;
  /** Part of `held`. */
  disputed: number;
}

export const NO_SUMS = { pending: 0, available: 0, inPayout: 0, paid: 0, held: 0, disputed: 0 };

export const toSums = ({
  pending,
  available,
  inPayout,
  paid,
}: Omit<CurrencySums, 'currency' | 'programs' | 'activePrograms' | 'held' | 'disputed'>) => ({
  total: pending + available + inPayout + paid,
  pending,
  available,
  inPayout,
  paid,
});

const toSumsWithHeld = (row: Omit<CurrencySums, 'currency' | 'programs' | 'activePrograms'>) => ({
  ...toSums(row),
  held: { dispute: row.disputed, flag: row.held - row.disputed },
});

/** `rows` begins with the main currency. */
export const toEarnings = (rows: readonly CurrencySums[]): EarningsView => ({
  ...toSumsWithHeld(rows[0] ?? NO_SUMS),
  currency: rows[0]?.currency ?? null,
  byCurrency: rows.map((row) => ({ currency: row.currency, ...toSumsWithHeld(row) })),
});
