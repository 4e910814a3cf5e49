import { DateTime, Info } from 'luxon';
import { instant } from '../http/schemas.ts';

const MAX_CHARS = 40;

const MONTHS: ReadonlyMap<string, number> = new Map([
  ...['en', 'de'].flatMap((locale) =>
    (['long', 'short'] as const).flatMap((length) =>
      Info.months(length, { locale }).map((name, at): [string, number] => [name.toLowerCase().replace('.', ''), at + 1]),
    ),
  ),
  // Written by a German Excel.
  ['mrz', 3],
]);

/** A date with the day first or the month first, whichever the text allows. */
const EITHER = /^(?<first>\d{1,2})([/-])(?<second>\d{1,2})\2(?<year>\d{4}|\d\d)$/;

const DATES = [
  /^(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})$/,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
  /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\. ?(?<year>\d{4}|\d\d)$/,
  /^(?<day>\d{1,2})[. -]{1,2}(?<name>\p{L}{3,12})[. -]{1,2}(?<year>\d{4}|\d\d)$/u,
  /^(?<name>\p{L}{3,12})\.? (?<day>\d{1,2}),? (?<year>\d{4})$/u,
];

const TIME =
  /^(?<date>.*[^\s,])(?:T|,? +)(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d{1,6})?)?(?: ?(?<half>[ap])\.?m\.?)?$/i;

/** `date`: a day such as 2026-01-31, or a point in time. */
export type ReadDate = { date: string } | { problem: string };

/**
 * A date as spreadsheets and banks write it, in English or German. A time without an offset from UTC says no more than the day: nobody
 * knows by which clock it is. The problem completes a sentence about the cell.
 */
export const readDate = (cell: string): ReadDate => {
  const text = cell.replace(/\s+/g, ' ').trim();
  if (text.length > MAX_CHARS) return UNREADABLE;
  const exact = instant.safeParse(text);
  if (exact.success) return { date: exact.data };
  const { date = text, hour = '0', minute = '0', second = '0', half } = TIME.exec(text)?.groups ?? {};
  const days = daysOf(date);
  if (days.length > 1) return AMBIGUOUS;
  const hours = half === undefined ? Number(hour) : hourOf(Number(hour), half);
  const at = DateTime.fromObject({ ...days[0], hour: hours, minute: Number(minute), second: Number(second) }, { zone: 'utc' });
  return days.length === 1 && at.isValid ? { date: at.toFormat('yyyy-MM-dd') } : UNREADABLE;
};

const UNREADABLE: ReadDate = { problem: 'is no date that can be read: write it as 2026-01-31' };
const AMBIGUOUS: ReadDate = { problem: 'can be in either of two months: write it as 2026-01-31' };

interface Day {
  year: number;
  month: number;
  day: number;
}

const isDay = (day: Day): boolean => DateTime.fromObject(day, { zone: 'utc' }).isValid;

/** Two digits are of this century. */
const yearOf = (digits = ''): number => Number(digits) + (digits.length === 2 ? 2_000 : 0);

/** 12 AM is midnight and 12 PM is noon. No hour, -1, for what half a day does not have. */
const hourOf = (hour: number, half: string): number => {
  if (hour < 1 || hour > 12) return -1;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
};

/** All days that the text can mean. */
const daysOf = (text: string): Day[] => {
  const either = EITHER.exec(text)?.groups;
  if (either) {
    const [first, second, year] = [Number(either['first']), Number(either['second']), yearOf(either['year'])];
    const days = [
      { year, month: second, day: first },
      { year, month: first, day: second },
    ].filter(isDay);
    return first === second ? days.slice(0, 1) : days;
  }
  for (const format of DATES) {
    const found = format.exec(text)?.groups;
    if (!found) continue;
    const month = found['name'] === undefined ? Number(found['month']) : (MONTHS.get(found['name'].toLowerCase()) ?? 0);
    return [{ year: yearOf(found['year']), month, day: Number(found['day']) }].filter(isDay);
  }
  return [];
};
