import { z } from 'zod';
import { withoutApostrophes } from '../../../platform/csv/csv-line.ts';
import { type CsvRecord, readCsv } from '../../../platform/csv/read-csv.ts';
import { readDate } from '../../../platform/csv/read-date.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { bankLine } from '../../../platform/http/schemas.ts';

export const PAYMENT_RESULTS = ['paid', 'failed', 'returned'] as const;
export type PaymentResultName = (typeof PAYMENT_RESULTS)[number];

/** What a bank or provider says about one payment. */
export interface PaymentResult {
  payoutId: string;
  result: PaymentResultName;
  bankReference: string | undefined;
  executedAt: string | undefined;
  /** As written: how it is read depends on the currency of the payout. */
  amount: string | undefined;
  /** Lower-case ISO 4217. */
  currency: string | undefined;
}

/** `payoutId`: null for a line that names none. */
export type ResultLine = { line: number; payoutId: string | null } & ({ result: PaymentResult } | { refused: AppError });

/** The tables of docs/guides/pay-manually.md. `reference` is none of them: in our own files it is the text of the transfer. */
export const RESULT_COLUMNS = {
  payoutId: ['payout', 'auszahlung', 'auszahlungsid'],
  result: ['status', 'outcome', 'ergebnis'],
  bankReference: ['bankref', 'transactionid', 'transactionreference', 'bankreferenz'],
  executedAt: ['executed', 'executedon', 'executiondate', 'paidat', 'paidon', 'paymentdate', 'date', 'ausgeführtam', 'datum'],
  amount: ['betrag'],
  currency: ['währung', 'waehrung'],
} as const;
type Column = keyof typeof RESULT_COLUMNS;

export const RESULT_WORDS: Readonly<Record<PaymentResultName, readonly string[]>> = {
  paid: ['completed', 'executed', 'succeeded', 'successful', 'success', 'bezahlt', 'gezahlt', 'ausgeführt'],
  failed: [
    'failure',
    'rejected',
    'declined',
    'denied',
    'not paid',
    'unpaid',
    'cancelled',
    'canceled',
    'fehlgeschlagen',
    'abgelehnt',
  ],
  returned: ['reversed', 'bounced', 'refunded', 'sent back', 'zurückgebucht', 'zurück'],
};

const RESULT_CHOICE = new Intl.ListFormat('en', { type: 'disjunction' }).format(PAYMENT_RESULTS);

const RESULT_OF: ReadonlyMap<string, PaymentResultName> = new Map(
  PAYMENT_RESULTS.flatMap((result) => [result, ...RESULT_WORDS[result]].map((word) => [word, result] as const)),
);

/** Also as banks pass it on: without hyphens. */
const payoutId = z
  .string()
  .transform((text) => text.replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i, '$1-$2-$3-$4-$5'))
  .pipe(z.uuid().toLowerCase());

/** A spreadsheet shows a long number as 4.71E+15, and what does not fit or failed as #### or #N/A. */
const SHORTENED = /^\d([.,]\d+)?E\+\d+$|^#+$|^#(N\/A|[A-Z/0]+[?!])$/i;

const bankReference = bankLine(140).refine((text) => !SHORTENED.test(text) && !text.includes('\uFFFD'));

/**
 * The lines of a results file. A line says what happened only with a result: one that is missing, cut off or not known is refused, never
 * taken as paid. Throws VALIDATION_ERROR for a file without the columns `payoutId` and `result`.
 */
export const parseResults = (csv: string, maxLines: number): ResultLine[] =>
  readCsv(csv, { columns: RESULT_COLUMNS, required: ['payoutId', 'result'], maxRecords: maxLines }).map(toResultLine);

const toResultLine = ({ line: number, cells, problem }: CsvRecord<Column>): ResultLine => {
  const id = payoutId.safeParse(cells.payoutId).data ?? null;
  const read = problem === null ? toResult(id, cells) : unreadable(`The line ${problem}`);
  return { line: number, payoutId: id, ...(read instanceof AppError ? { refused: read } : { result: read }) };
};

const toResult = (id: string | null, cells: CsvRecord<Column>['cells']): PaymentResult | AppError => {
  if (id === null) return unreadable('payoutId is not the ID of a payout');
  if (cells.result === undefined)
    return conflict('NO_RESULT', `The line has no result: write ${RESULT_CHOICE} in the column result`);
  const result = RESULT_OF.get(wordsOf(cells.result));
  if (result === undefined) return unreadable(`result must be one of: ${PAYMENT_RESULTS.join(', ')}`);
  const reference = cells.bankReference === undefined ? null : bankReference.safeParse(withoutApostrophes(cells.bankReference));
  if (reference?.success === false)
    return unreadable('bankReference must be one line of at most 140 characters, as the bank gave it: format the column as text');
  const executed = cells.executedAt === undefined ? null : readDate(cells.executedAt);
  if (executed && 'problem' in executed) return unreadable(`executedAt ${executed.problem}`);
  const currency = cells.currency?.toLowerCase();
  if (currency !== undefined && !/^[a-z]{3}$/.test(currency)) return unreadable('currency must be an ISO 4217 code, such as EUR');
  return {
    payoutId: id,
    result,
    bankReference: reference?.data,
    executedAt: executed?.date,
    amount: cells.amount,
    currency,
  };
};

const unreadable = (message: string): AppError => new AppError('VALIDATION_ERROR', message);

const wordsOf = (cell: string): string =>
  cell
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
