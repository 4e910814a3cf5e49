const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY_MS = 24 * HOUR;

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** For how long something waits, in one unit. */
export const ageOf = (iso: string, now = Date.now()): string => {
  const ms = Math.max(now - Date.parse(iso), 0);
  if (ms >= 2 * DAY_MS) return countOf(Math.floor(ms / DAY_MS), 'day');
  if (ms >= HOUR) return countOf(Math.floor(ms / HOUR), 'hour');
  return ms >= MINUTE ? countOf(Math.floor(ms / MINUTE), 'minute') : 'less than a minute';
};
