import { z } from 'zod';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { journalQuery } from '../../../src/domains/ledger/index.ts';
import { dateRangeQuery, inOrder } from '../../../src/platform/http/date-range.ts';
import { checkParameters } from '../../../src/platform/http/validate.ts';

const DAYS = ['2026-03-01', '2026-03-02'] as const;
const INSTANTS = ['2026-03-01T00:00:00+02:00', '2026-03-01T00:00:00Z'] as const;

const takes = (schema: z.core.$ZodType, text: string): boolean =>
  z.safeParse(schema, text).success && !z.safeParse(schema, 'word').success;

/** Parameters of an operation that are a day or a time, with a text for the earlier and one for the later end of a range. */
const rangesOf = (query: z.ZodObject): { names: string[]; texts: readonly [string, string] } => {
  const named = (texts: readonly [string, string]) =>
    Object.entries(query.shape).flatMap(([name, schema]) => (takes(schema, texts[0]) ? [name] : []));
  const [days, instants] = [named(DAYS), named(INSTANTS)];
  return days.length > 0 ? { names: days, texts: DAYS } : { names: instants, texts: INSTANTS };
};

const PAIRS = [
  ['startDate', 'endDate'],
  ['startDate', 'to'],
  ['from', 'endDate'],
  ['from', 'to'],
  ['paidFrom', 'paidTo'],
] as const;

const rangedOperations = OPERATIONS.flatMap(({ id, query }) => {
  const { names, texts } = query ? rangesOf(query as z.ZodObject) : { names: [], texts: DAYS };
  return query && names.length > 1 ? [{ id, query, names, texts }] : [];
});

const problemOf = (query: z.ZodType, given: object): string | null => {
  try {
    checkParameters(query)(given);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

test('MN18: every operation that takes a range refuses one that ends before it begins', () => {
  const tried = rangedOperations.flatMap(({ id, query, names, texts: [early, late] }) =>
    PAIRS.filter((pair) => pair.every((name) => names.includes(name))).map(([start, end]) => {
      expect([id, problemOf(query, { [start]: late, [end]: early })]).toEqual([
        id,
        `A path or query parameter is not valid: ${end} must not be before ${start}`,
      ]);
      expect([id, problemOf(query, { [start]: early, [end]: late })]).toEqual([id, null]);
      expect([id, problemOf(query, { [start]: early, [end]: early })]).toEqual([id, null]);
      return `${id} ${start} ${end}`;
    }),
  );
  expect(tried.map((line) => line.split(' ')[0])).toEqual(
    expect.arrayContaining(['exportLedger', 'listPayouts', 'exportPayouts', 'getPayoutStats', 'listAuditLog', 'exportAuditLog']),
  );
});

test('MN18: days and times of queries have names whose order is checked', () => {
  const known = new Set<string>(PAIRS.flat());
  const others = rangedOperations.flatMap(({ id, names }) =>
    names.filter((name) => !known.has(name)).map((name) => `${id} ${name}`),
  );
  expect(others).toEqual([]);
  expect(rangedOperations.length).toBeGreaterThan(6);
});

test('MN18: a month begins with its first day and ends with its last', () => {
  const valid = (from: string, to: string) => problemOf(journalQuery, { from, to }) === null;
  expect(valid('2026-03', '2026-03')).toBe(true);
  expect(valid('2026-03-31', '2026-03')).toBe(true);
  expect(valid('2026-04-01', '2026-03')).toBe(false);
  expect(valid('2026-04', '2026-03-31')).toBe(false);
  expect(valid('9999-12', '1000-01')).toBe(false);
});

test('MN18: the spelling that wins is compared, and a range with one end is none', () => {
  const query = inOrder(z.strictObject(dateRangeQuery));
  const [early, late] = INSTANTS;
  expect(problemOf(query, { startDate: early, from: late, endDate: early })).toBeNull();
  expect(problemOf(query, { startDate: late, from: early, to: early })).toContain('to must not be before startDate');
  for (const name of ['startDate', 'from', 'endDate', 'to']) expect(problemOf(query, { [name]: late })).toBeNull();
});

test.each([
  ['2026-03-02', '2026-03-01T23:00:00Z', false],
  ['2026-03-02', '2026-03-01T09:00:00Z', true],
  ['2026-03-01T23:00:00Z', '2026-03-01', false],
  ['2026-03-02T11:59:59Z', '2026-03-01', false],
  ['2026-03-02T12:00:01Z', '2026-03-01', true],
])('MN18: from %s to %s is refused only if it is reversed in every time zone: %s', (startDate, endDate, isRefused) => {
  expect(inOrder(z.strictObject(dateRangeQuery)).safeParse({ startDate, endDate }).success).toBe(!isRefused);
});
