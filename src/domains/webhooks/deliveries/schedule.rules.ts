import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../platform/clock.ts';

/** Timing of a delivery, configurable so that tests run in milliseconds. */
export interface DeliverySchedule {
  /** Wait before each scheduled attempt. Their number is the maximum number of scheduled attempts. */
  delaysMs: readonly number[];
  /** Random extension of a wait: at most this fraction of it, and at most `jitterMaxMs`. Waits are never shortened. */
  jitter: number;
  jitterMaxMs: number;
  /** Bounds of the retry delay given to Temporal, which would end the retries at zero. */
  minWaitMs: number;
  maxWaitMs: number;
}

/** Lasts 75 h 35 m 05 s or longer: a receiver that was down for three days still gets every event. */
export const STANDARD_SCHEDULE: DeliverySchedule = {
  delaysMs: [
    0,
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
  ],
  jitter: 0.1,
  jitterMaxMs: 30 * MINUTE_MS,
  minWaitMs: SECOND_MS,
  maxWaitMs: 25 * HOUR_MS,
};

/**
 * Milliseconds until the next scheduled attempt, or null if all are used. `attempts` have a known outcome; `minWaitMs` is
 * what the receiver requested.
 */
export const waitAfter = (
  schedule: DeliverySchedule,
  attempts: number,
  minWaitMs: number,
  random: () => number = Math.random,
): number | null => {
  const planned = schedule.delaysMs[attempts];
  if (planned === undefined) return null;
  const base = Math.max(planned, minWaitMs);
  return Math.ceil(base + Math.min(base * schedule.jitter, schedule.jitterMaxMs) * random());
};

export const clampWait = (schedule: DeliverySchedule, waitMs: number): number =>
  Math.min(Math.max(Math.ceil(waitMs), schedule.minWaitMs), schedule.maxWaitMs);
