import { DateTime } from 'luxon';

/** Sunday of Easter in a year of the Gregorian calendar, by the algorithm of Meeus. */
const easterOf = (year: number): DateTime => {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return DateTime.utc(year, Math.floor(f / 31), (f % 31) + 1);
};

/** Days on which the settlement system of the euro area is closed, besides weekends: fixed since 2000. */
const isClosed = (day: DateTime): boolean => {
  if (day.weekday > 5) return true;
  const monthAndDay = day.toFormat('MM-dd');
  if (['01-01', '05-01', '12-25', '12-26'].includes(monthAndDay)) return true;
  const fromEaster = day.diff(easterOf(day.year), 'days').days;
  return fromEaster === -2 || fromEaster === 1;
};

const dayOf = (text: string): DateTime => DateTime.fromISO(text, { zone: 'utc' });

/** Whether banks of the euro area settle payments on a day, as `2026-12-31`. */
export const isTargetDay = (day: string): boolean => {
  const date = dayOf(day);
  return date.isValid && !isClosed(date);
};

/** The day itself, or the next one on which payments are settled. */
export const targetDayFrom = (day: string): string => {
  let date = dayOf(day);
  while (isClosed(date)) date = date.plus({ days: 1 });
  return date.toFormat('yyyy-MM-dd');
};
