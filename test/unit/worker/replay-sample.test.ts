import { createSample } from '../../../src/worker/replay-sample.ts';

const DAY_MS = 86_400_000;
const execution = (day: number, serial: number) => ({
  type: 'payoutLifecycle',
  workflowId: `payout/${day}-${serial}`,
  runId: `${day}-${serial}`,
  startTime: new Date(day * DAY_MS + serial),
});

it('TE1: the oldest open workflows come first, then some of each week, then the newest; how many are left out is known', () => {
  const sample = createSample();
  // As Temporal lists them: newest first. 200 on each of three days, a week apart.
  for (const day of [21, 14, 7]) for (let serial = 199; serial >= 0; serial--) sample.offer(execution(day, serial));
  const chosen = sample.chosen().map(({ runId }) => runId);
  expect(sample.open()).toBe(600);
  expect(chosen).toHaveLength(50 + 2 * 10 + 50);
  expect(chosen.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, serial) => `7-${serial}`));
  expect(chosen.slice(50, 70)).toEqual([14, 21].flatMap((day) => Array.from({ length: 10 }, (_, serial) => `${day}-${serial}`)));
  expect(chosen.slice(70)).toEqual(Array.from({ length: 50 }, (_, serial) => `21-${199 - serial}`));
});
