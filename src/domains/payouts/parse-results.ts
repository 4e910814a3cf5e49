import { z } from 'zod';
import { instant, line } from '../../platform/http/schemas.ts';

export const PAYMENT_RESULTS = ['paid', 'failed', 'returned'] as const;
export type PaymentResultName = (typeof PAYMENT_RESULTS)[number];

const RESULT_COLUMNS = ['payoutId', 'bankReference', 'executedAt', 'result'] as const;

/** What a bank or provider says about one payment. */
export interface PaymentResult {
  payoutId: string;
  bankReference: string | undefined;
  executedAt: string | undefined;
  result: PaymentResultName;
}

/** A line of the file, from 1. */
export type ResultLine = { line: number } & ({ result: PaymentResult } | { problem: string; payoutId: string | null });

/** Also as banks pass it on: without hyphens. */
const payoutId = z
  .string()
  .transform((text) => text.replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i, '$1-$2-$3-$4-$5'))
  .pipe(z.uuid().toLowerCase());

/** A date is the beginning of that day in UTC. */
const executedAt = z
  .string()
  .transform((text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text))
  .pipe(instant);

const cells = z.object({
  payoutId,
  bankReference: line(140).optional(),
  executedAt: executedAt.optional(),
  result: z.enum(PAYMENT_RESULTS).default('paid'),
});

/** Null when the file has no header with the column `payoutId`. An empty result means `paid`; other columns are ignored. */
export const parseResults = (csv: string): ResultLine[] | null => {
  const [header = [], ...records] = parseCsv(csv);
  const names = header.map((name) => name.trim());
  if (!names.includes('payoutId')) return null;
  return records.flatMap((record, n) => (record.every((cell) => cell === '') ? [] : [toResultLine(names, record, n + 2)]));
};

const toResultLine = (names: readonly string[], record: readonly string[], number: number): ResultLine => {
  const given = RESULT_COLUMNS.flatMap((name) => {
    const text = textOf(record[names.indexOf(name)] ?? '');
    return text === '' ? [] : [[name, text] as const];
  });
  const read = cells.safeParse(Object.fromEntries(given));
  const id = payoutId.safeParse(Object.fromEntries(given).payoutId).data ?? null;
  if (!read.success) return { line: number, payoutId: id, problem: read.error.issues[0]?.path.join('.') || 'payoutId' };
  const { bankReference, executedAt: at, result } = read.data;
  return { line: number, result: { payoutId: read.data.payoutId, bankReference, executedAt: at, result } };
};

/** Files of ours have an apostrophe before what could be a formula. */
const textOf = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '');

/** Records of RFC 4180, with any line break and with or without a byte order mark. */
const parseCsv = (text: string): string[][] => {
  const records: string[][] = [];
  let record: string[] = [];
  const fields = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|\n|\r|$)/gy;
  const body = text.replace(/^\uFEFF/, '');
  while (fields.lastIndex < body.length) {
    const [, quoted, plain = '', end] = fields.exec(body) ?? [];
    record.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) records.push(record);
  return records;
};
