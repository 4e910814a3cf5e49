import { clampWait, STANDARD_SCHEDULE, waitAfter } from '../../../src/domains/webhooks/deliveries/schedule.rules.ts';
import { CONNECT_TIMEOUT_MS, TOTAL_TIMEOUT_MS } from '../../../src/platform/outbound/outbound.ts';
import { delivery } from '../../../workflows/support/activities.ts';

const AT_LEAST_MS = (75 * 3_600 + 35 * 60 + 5) * 1_000;

describe('the schedule of attempts', () => {
  test('ten attempts, spread over 75 h 35 m 05 s at least, whatever the jitter', () => {
    for (let round = 0; round < 10_000; round += 1) {
      let sum = 0;
      for (let made = 1; made < 10; made += 1) {
        const wait = waitAfter(STANDARD_SCHEDULE, made, 0);
        const base = STANDARD_SCHEDULE.delaysMs[made] ?? 0;
        if (wait === null || wait < base || wait > base + 30 * 60_000) throw new Error(`wait ${wait} after ${made}`);
        sum += wait;
      }
      if (sum < AT_LEAST_MS) throw new Error(`only ${sum} ms`);
    }
    expect(waitAfter(STANDARD_SCHEDULE, 10, 0)).toBeNull();
  });

  test('the receiver can extend a wait but not shorten it', () => {
    const still = () => 0;
    expect(waitAfter(STANDARD_SCHEDULE, 1, 120_000, still)).toBe(120_000);
    expect(waitAfter(STANDARD_SCHEDULE, 3, 1_000, still)).toBe(30 * 60_000);
    expect(waitAfter(STANDARD_SCHEDULE, 1, 120_000, () => 1)).toBeGreaterThan(120_000);
  });

  test('the retry delay is between a second and 25 hours', () => {
    expect(clampWait(STANDARD_SCHEDULE, 0)).toBe(1_000);
    expect(clampWait(STANDARD_SCHEDULE, 12.3)).toBe(1_000);
    expect(clampWait(STANDARD_SCHEDULE, 1_000_000.2)).toBe(1_000_001);
    expect(clampWait(STANDARD_SCHEDULE, 1e12)).toBe(25 * 3_600_000);
  });

  test('an attempt ends before its activity times out', () => {
    expect(CONNECT_TIMEOUT_MS).toBeLessThan(TOTAL_TIMEOUT_MS);
    expect(TOTAL_TIMEOUT_MS + 5_000).toBeLessThan(Number.parseInt(delivery.startToCloseTimeout, 10) * 1_000);
  });
});
