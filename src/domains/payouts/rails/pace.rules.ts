import { MINUTE_MS } from '../../../platform/clock.ts';

/** How fast orders may follow one another: so many at once, and then one in each interval. */
export interface Pace {
  burst: number;
  intervalMs: number;
}

/** The share of a minute's orders that may be sent at once. */
const BURST_SHARE = 0.1;

/** In any minute there are at most `perMinute`, those at once included. */
export const paceFor = (perMinute: number): Pace => {
  const burst = Math.max(1, Math.floor(perMinute * BURST_SHARE));
  return { burst, intervalMs: Math.ceil(MINUTE_MS / Math.max(1, perMinute - burst)) };
};

/** How far ahead of an even pace the orders that are sent at once may be. */
export const aheadMs = ({ burst, intervalMs }: Pace): number => (burst - 1) * intervalMs;

/** How long the next order waits. `pacedAt` is when the orders so far would have been sent at an even pace; null: there are none. */
export const waitOf = (pace: Pace, pacedAt: Date | null, now: Date): number =>
  pacedAt === null ? 0 : Math.max(0, pacedAt.getTime() - aheadMs(pace) - now.getTime());

/** How long so many orders take at an even pace. */
export const durationOf = ({ intervalMs }: Pace, orders: number): number => orders * intervalMs;
