import { DateTime } from 'luxon';

/**
 * A time in a time zone; in UTC when this program does not know the zone. Luxon keeps every spelling of a name until the process
 * ends, and merchants may spell it in any case.
 */
export const localTime = (time: Date, timeZone: string): DateTime => {
  const local = DateTime.fromJSDate(time, { zone: timeZone.toLowerCase() });
  return local.isValid ? local : DateTime.fromJSDate(time, { zone: 'utc' });
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text that names a time names a whole day, such as 2026-01-31. */
export const isDay = (text: string): boolean => DAY.test(text);

/** The day that a time is on in a time zone, such as 2026-01-31. Days compare as text. */
export const dayIn = (time: Date, timeZone: string): string => localTime(time, timeZone).toFormat('yyyy-MM-dd');

/** What Postgres stores and every client reads back. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** `edge`: of a day, when it begins, or when it has ended, which is when the next one begins. */
export type DayEdge = 'start' | 'end';

/**
 * The time that a text names: a day such as 2026-01-31 is that day in the time zone, and anything else a point in time of its own. Where
 * clocks are put back over midnight, the day begins with the first of the two, and a day without a midnight with its first minute.
 */
export const timeIn = (text: string, timeZone: string, edge: DayEdge = 'start'): Date => {
  if (!isDay(text)) return new Date(text);
  const { zone } = localTime(new Date(0), timeZone);
  const day = DateTime.fromISO(text, { zone }).plus({ days: edge === 'start' ? 0 : 1 });
  const midnights = day.startOf('day').getPossibleOffsets();
  const at = Math.min(...midnights.map((midnight) => midnight.toMillis()));
  return new Date(Math.min(Math.max(at, FIRST_MS), LAST_MS));
};

/** A time with the offset of a time zone, so that the text begins with the day there. */
export const localIso = (time: Date, timeZone: string): string => localTime(time, timeZone).toISO() ?? time.toISOString();
