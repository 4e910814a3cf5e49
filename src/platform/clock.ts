export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const after = (from: Date, ms: number): Date => new Date(from.getTime() + ms);

/** Payment systems send whole seconds, so what another clock recorded in the same second counts as before it. */
export const wholeSecond = (time: Date): Date => new Date(Math.floor(time.getTime() / SECOND_MS) * SECOND_MS);

/**
 * Turns durations of business, such as hold periods, reviews, deadlines, reminders and retries, into those of this
 * installation: a duration, or a timing with all durations in it. In real time they stay as they are.
 */
export type TimeScale = <T extends number | object>(durations: T) => T;

export const SECONDS_PER_DAY = DAY_MS / SECOND_MS;

/**
 * A day that lasts `secondsPerDay`. Durations below a minute are technical and stay, and none becomes shorter than a second.
 * Timeouts, leases, rate limits and signatures are not scaled.
 */
export const timeScale = (secondsPerDay: number): TimeScale => {
  if (secondsPerDay === SECONDS_PER_DAY) return (durations) => durations;
  const scale = (ms: number): number =>
    ms < MINUTE_MS ? ms : Math.max(SECOND_MS, Math.round((ms * secondsPerDay) / SECONDS_PER_DAY));
  return (durations) =>
    JSON.parse(JSON.stringify(durations), (_name, value) => (typeof value === 'number' ? scale(value) : value));
};
