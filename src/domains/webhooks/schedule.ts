import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';

/** Times of a delivery. They are settings, so that tests live through them in milliseconds. */
export interface DeliverySchedule {
  /** Wait before each automatic attempt; their number is the budget. */
  delaysMs: readonly number[];
  /** Largest part of a wait that is added to it, and its bound: a wait is only ever lengthened. */
  jitter: number;
  jitterMaxMs: number;
  /** Bounds of what the story is told to wait: zero would end its retries. */
  minWaitMs: number;
  maxWaitMs: number;
}

/** 75 h 35 m 05 s at least: a receiver that was down for three days still gets everything. */
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
 * Milliseconds until the next automatic attempt, or null when the budget is spent. `made` attempts have a known
 * outcome; `floorMs` is what the receiver asked for.
 */
export const waitAfter = (
  schedule: DeliverySchedule,
  made: number,
  floorMs: number,
  random: () => number = Math.random,
): number | null => {
  const planned = schedule.delaysMs[made];
  if (planned === undefined) return null;
  const base = Math.max(planned, floorMs);
  return Math.ceil(base + Math.min(base * schedule.jitter, schedule.jitterMaxMs) * random());
};

export const clampWait = (schedule: DeliverySchedule, waitMs: number): number =>
  Math.min(Math.max(Math.ceil(waitMs), schedule.minWaitMs), schedule.maxWaitMs);
