import { durationOf, type Pace, paceFor, waitOf } from '../../../src/domains/payouts/rails/pace.rules.ts';

/** When orders are sent that all want to be, one after the other. */
const timesOf = (pace: Pace, orders: number): number[] => {
  const times: number[] = [];
  let nowMs = 0;
  let pacedAt = null as Date | null;
  while (times.length < orders) {
    nowMs += waitOf(pace, pacedAt, new Date(nowMs));
    times.push(nowMs);
    pacedAt = new Date(Math.max(pacedAt?.getTime() ?? 0, nowMs) + pace.intervalMs);
  }
  return times;
};

test.each([1, 2, 5, 10, 60, 300, 1_000])('in no minute there are more than %d orders, and not much fewer', (perMinute) => {
  const times = timesOf(paceFor(perMinute), perMinute * 3);
  const inMinuteFrom = (from: number) => times.filter((at) => at >= from && at < from + 60_000).length;
  const most = Math.max(...times.map(inMinuteFrom));
  expect(most).toBeLessThanOrEqual(perMinute);
  expect(most).toBeGreaterThanOrEqual(Math.floor(perMinute * 0.8));
});

test('some are sent at once, and after a quiet time again', () => {
  const pace = paceFor(300);
  expect(timesOf(pace, 31).filter((at) => at === 0)).toHaveLength(30);
  expect(waitOf(pace, new Date(0), new Date(3_600_000))).toBe(0);
  expect(durationOf(pace, 300)).toBeGreaterThan(60_000);
});
