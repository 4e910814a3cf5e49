import fc from 'fast-check';
import { readDate } from '../../../src/platform/csv/read-date.ts';

const dateOf = (cell: string): string => {
  const read = readDate(cell);
  return 'date' in read ? read.date : read.problem;
};

test.each([
  '2026-01-31',
  '2026/1/31',
  '2026.01.31',
  '20260131',
  '31.01.2026',
  '31. 1. 2026',
  '31.1.26',
  '31/01/2026',
  '1/31/2026',
  '1/31/26',
  '31-01-2026',
  '31 Jan 2026',
  '31-Jan-26',
  '31. Januar 2026',
  'January 31, 2026',
  'Jan. 31 2026',
  '2026-01-31 00:00',
  ' 31.01.2026\u00A000:00:00 ',
  '1/31/2026 12:00 AM',
])('%j is the last day of January', (cell) => {
  expect(dateOf(cell)).toBe('2026-01-31');
});

test.each(['2026-01-31T00:00:00Z', '2026-01-31T01:00:00+01:00'])('%j is a point in time', (cell) => {
  expect(new Date(dateOf(cell)).toISOString()).toBe('2026-01-31T00:00:00.000Z');
});

test.each([
  ['31.01.2026 14:05', '2026-01-31'],
  ['2026-01-31T14:05:09', '2026-01-31'],
  ['2026-01-31 14:05:09.123456', '2026-01-31'],
  ['31.1.2026, 14:05:09', '2026-01-31'],
  ['1/31/2026, 2:05:00 PM', '2026-01-31'],
  ['1/31/2026 2:05 PM', '2026-01-31'],
  ['1/31/2026 12:05 p.m.', '2026-01-31'],
  ['3/3/2026', '2026-03-03'],
  ['15. März 2026', '2026-03-15'],
  ['15. Mrz 2026', '2026-03-15'],
  ['29 Feb 2028', '2028-02-29'],
])('%j is %s', (cell, expected) => {
  expect(dateOf(cell)).toBe(expected);
});

test.each(['02/03/2026', '2/3/26', '12-11-2026', '02/03/2026 14:05'])('%j can be in either of two months', (cell) => {
  expect(dateOf(cell)).toContain('either of two months');
});

test.each([
  'today',
  '46053',
  '########',
  '2026-02-30',
  '31.04.2026',
  '13/13/2026',
  '2026-01-31T25:00',
  '1/31/2026 13:00 PM',
  '1/31/2026 0:00 AM',
  '31 Foo 2026',
  '2026',
  '01.2026',
  '2026-01-31 and more',
  '١٢.٠١.٢٠٢٦',
  '9'.repeat(10_000),
])('%j is no date', (cell) => {
  expect(dateOf(cell)).toContain('is no date that can be read');
});

test('every day is read in each way in which it is written', () => {
  const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  const two = (part: number) => String(part).padStart(2, '0');
  fc.assert(
    fc.property(days, (date) => {
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const iso = `${year}-${two(month)}-${two(day)}`;
      const name = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(date);
      for (const cell of [
        iso,
        `${two(day)}.${two(month)}.${year}`,
        `${day}.${month}.${two(year % 100)}`,
        `${day} ${name} ${year}`,
      ])
        expect([cell, dateOf(cell)]).toEqual([cell, iso]);
    }),
  );
});
