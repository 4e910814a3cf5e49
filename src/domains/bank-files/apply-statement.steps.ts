import { DateTime } from 'luxon';
import { type BookingProblem, isFileName } from '../../contracts/bank-files.ts';
import { faultClassOf, type Rail } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { execute, rows } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import type { Booking, Verdict } from '../payouts/index.ts';
import { db } from '../tables.ts';
import { type FiledLine, findLines, isEndedHere, listLinesOf } from './file-lines.queries.ts';
import { hearLines, type LineWord } from './hear-line.steps.ts';
import { type ImportReport, noteUnmatched } from './import-report.rules.ts';
import { type NamedFiles, noteNamed } from './named-files.rules.ts';

interface StatementInput {
  merchantId: string;
  accountId: string;
  bookings: readonly Booking[];
  report: ImportReport;
  named: NamedFiles;
}

interface Place {
  merchantId: string;
  accountId: string;
}

/** Bookings of one statement of the database. */
const BATCH = 500;

const BOOKED: Verdict = { state: 'BOOK', outcome: 'paid', fault: null, payeeCheck: null, suggestedName: null };

/** What a booking says about a payment of ours; null when it says nothing by itself. */
const verdictOf = ({ direction, isReversal, isReturn, reason }: Booking, rail: Rail): Verdict | null => {
  if (direction === 'debit') return isReversal || isReturn ? null : BOOKED;
  if (!isReturn && !isReversal) return null;
  const code = reason ?? 'NARR';
  return { ...BOOKED, state: 'RTRN', outcome: 'returned', fault: { class: faultClassOf(rail, code) ?? 'unclear', code } };
};

/** Bookings of an account: ours by the id of the payment or of the file, and all others, so that its balance agrees. Returns how many there was no time for. */
export const applyStatement = async (
  ctx: Context,
  { merchantId, accountId, bookings, report, named }: StatementInput,
): Promise<number> => {
  const place = { merchantId, accountId };
  const known = await findKnown(ctx, accountId, bookings);
  const isNew = (booking: Booking) => !known.has(booking.key);
  report.unchanged += bookings.filter((booking) => !isNew(booking) && booking.idempotencyKey !== null).length;
  const fresh = bookings.filter(isNew);
  const keys = fresh.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
  const lines = await findLines(ctx, { accountId, keys });
  const files = await findFiles(
    ctx,
    accountId,
    fresh.flatMap(({ fileIds }) => fileIds),
  );
  const words: LineWord[] = [];
  const others: NewBooking[] = [];
  let remaining = 0;
  for (const booking of fresh) {
    const line = booking.idempotencyKey === null ? undefined : lines.get(booking.idempotencyKey);
    const fileId = booking.fileIds.map((id) => files.get(id)).find((id) => id !== undefined);
    noteBooked(named, line, fileId);
    if (line) words.push(...wordsOf(place, booking, line, others));
    else if (booking.idempotencyKey !== null) others.push({ booking, problem: 'unknown_payment' });
    else if (fileId !== undefined) remaining += await applySum(ctx, place, { booking, fileId, report });
    else others.push({ booking, problem: looksLikeOurs(booking) ? 'unknown_file' : null });
  }
  for (const { booking, problem } of others) {
    if (problem === null) report.foreign += 1;
    else noteUnmatched(report, booking.idempotencyKey ?? booking.fileIds[0] ?? booking.key, problem);
  }
  for (let at = 0; at < others.length; at += BATCH) await storeBookings(ctx, place, others.slice(at, at + BATCH));
  return remaining + (await hearLines(ctx, words, report));
};

const noteBooked = (named: NamedFiles, line: FiledLine | undefined, fileId: string | undefined): void => {
  const id = line?.fileId ?? fileId;
  if (id !== undefined) noteNamed(named, id, { payments: line ? 1 : 0 });
};

const looksLikeOurs = ({ fileIds }: Booking): boolean => fileIds.some(isFileName);

const wordsOf = (place: Place, booking: Booking, line: FiledLine, others: NewBooking[]): LineWord[] => {
  const verdict = verdictOf(booking, 'sepa');
  const isOther = booking.amountMinor !== line.amount || booking.currency !== line.currency;
  if (!verdict) {
    others.push({ booking, problem: 'no_reason', payoutId: line.payoutId });
    return [];
  }
  const problem = isOther ? ('other_amount' as const) : null;
  return [
    {
      ...wordOf(booking, line, verdict),
      money: { amountMinor: booking.amountMinor, currency: booking.currency },
      problem,
      record: async (ctx) => (await storeBookings(ctx, place, [{ booking, problem, payoutId: line.payoutId }])) > 0,
    },
  ];
};

const wordOf = (booking: PaidSum['booking'], line: FiledLine, verdict: Verdict): LineWord => ({
  line,
  verdict,
  references: { file: line.messageId, ...(booking.entryRef === null ? {} : { booking: booking.entryRef }) },
  money: null,
  problem: null,
  // Noon, so that it is the bank's day in every time zone of SEPA.
  at: DateTime.fromISO(booking.bookedOn, { zone: 'utc' }).set({ hour: 12 }).toJSDate(),
});

interface Sum {
  booking: Booking;
  fileId: string;
  report: ImportReport;
}

/** A file that was booked as one sum: all that was not rejected is paid, if that is what the sum says. */
const applySum = async (ctx: Context, place: Place, { booking, fileId, report }: Sum): Promise<number> => {
  const { direction, isReversal, isReturn } = booking;
  const isPayment = direction === 'debit' && !isReversal && !isReturn;
  const lines = isPayment ? linesOfSum(await listLinesOf(ctx, fileId), booking) : null;
  if (!lines) {
    noteUnmatched(report, booking.fileIds[0] ?? booking.key, 'other_amount');
    await storeBookings(ctx, place, [{ booking, problem: 'other_amount', fileId }]);
    return 0;
  }
  const remaining = await payAll(ctx, { booking, lines, report });
  // Stored last: without it, the import goes on where it was interrupted.
  if (remaining === 0) await storeBookings(ctx, place, [{ booking, problem: null, fileId }]);
  return remaining;
};

/** What a sum paid; null when it is another sum. It may have what only we took for failed: nobody told the bank. */
const linesOfSum = (
  lines: readonly FiledLine[],
  { amountMinor, currency }: Pick<Booking, 'amountMinor' | 'currency'>,
): FiledLine[] | null => {
  const isSum = (some: readonly FiledLine[]) => totalOf(some) === amountMinor && some.every((line) => line.currency === currency);
  const open = lines.filter(({ outcome }) => outcome !== 'failed');
  const known = lines.filter((line) => line.outcome !== 'failed' || isEndedHere(line));
  return [open, known].find(isSum) ?? null;
};

const totalOf = (lines: readonly FiledLine[]): number => lines.reduce((sum, { amount }) => sum + amount, 0);

interface PaidSum {
  booking: Pick<Booking, 'bookedOn' | 'entryRef'>;
  lines: readonly FiledLine[];
  report: ImportReport;
}

const payAll = (ctx: Context, { booking, lines, report }: PaidSum): Promise<number> =>
  hearLines(
    ctx,
    lines.map((line) => wordOf(booking, line, BOOKED)),
    report,
  );

/** Sums of one file that wait for what was rejected. */
const MAX_SUMS = 20;

/**
 * Sums that were booked before the bank said which payments of the file it rejected: the rest is paid, if a sum is what is left now. Returns
 * how many payments there was no time for.
 */
export const settleSums = async (ctx: Context, fileId: string, report: ImportReport): Promise<number> => {
  const waiting = db
    .selectFrom('bank_booking')
    .select(['id', 'bookedOn', 'entryRef', 'amount', 'currency'])
    .where('fileId', '=', fileId)
    .where('problem', '=', 'other_amount')
    .where('direction', '=', 'debit')
    .where('isReversal', '=', false)
    .where('isReturn', '=', false);
  for (const sum of await rows(ctx.em, waiting.orderBy('id').limit(MAX_SUMS))) {
    const { id, amount: amountMinor, currency, bookedOn, entryRef = null } = sum;
    const lines = linesOfSum(await listLinesOf(ctx, fileId), { amountMinor, currency });
    if (!lines) continue;
    const remaining = await payAll(ctx, { booking: { bookedOn, entryRef }, lines, report });
    if (remaining > 0) return remaining;
    await execute(ctx.em, db.updateTable('bank_booking').set({ problem: null }).where('id', '=', id));
  }
  return 0;
};

interface NewBooking {
  booking: Booking;
  problem: BookingProblem | null;
  payoutId?: string;
  fileId?: string;
}

const findKnown = async (ctx: Context, accountId: string, bookings: readonly Booking[]): Promise<Set<string>> => {
  const keys = bookings.map(({ key }) => key);
  const found = db.selectFrom('bank_booking').select('key').where('railAccountId', '=', accountId).where('key', '=', anyOf(keys));
  return new Set((await rows(ctx.em, found)).map(({ key }) => key));
};

const findFiles = async (ctx: Context, accountId: string, ids: readonly string[]): Promise<Map<string, string>> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('bank_file')
      .select(['id', 'messageId'])
      .where('railAccountId', '=', accountId)
      .where('messageId', '=', anyOf(ids)),
  );
  return new Map(found.map(({ id, messageId }) => [messageId, id]));
};

/** Returns how many were not known. */
const storeBookings = async (ctx: Context, { merchantId, accountId }: Place, given: readonly NewBooking[]): Promise<number> => {
  if (given.length === 0) return 0;
  const at = ctx.clock.now().toISOString();
  const values = given.map(({ booking, problem, payoutId = null, fileId = null }) => ({
    ...{ id: ctx.ids.next(), merchantId, railAccountId: accountId, key: booking.key, entryRef: booking.entryRef },
    ...{ bookedOn: booking.bookedOn, direction: booking.direction, isReversal: booking.isReversal, isReturn: booking.isReturn },
    ...{
      amount: booking.amountMinor,
      currency: booking.currency,
      idempotencyKey: booking.idempotencyKey,
      reason: booking.reason,
    },
    ...{ payoutId, fileId, problem, createdAt: at },
  }));
  return execute(
    ctx.em,
    db
      .insertInto('bank_booking')
      .values(values)
      .onConflict((on) => on.columns(['railAccountId', 'key']).doNothing()),
  );
};
