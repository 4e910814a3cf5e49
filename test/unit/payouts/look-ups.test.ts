import { PAYOUT_LIMITS } from '../../../src/contracts/payouts.ts';
import { PAYOUT_TIMING } from '../../../src/contracts/workflows/payouts.ts';
import { nextLookUp } from '../../../workflows/support/next-look-up.ts';

const THREE_DAYS_MS = 72 * 3_600_000;

const lookUpsWithin = (ms: number): number => {
  let count = 0;
  for (let elapsedMs = 0; elapsedMs < ms; count++) elapsedMs += nextLookUp(PAYOUT_TIMING, count) - Date.now();
  return count;
};

test('three days without an answer hold at most 40 look-ups, those before each send included', () => {
  const counts = Array.from({ length: 1_000 }, () => lookUpsWithin(THREE_DAYS_MS));
  expect(Math.max(...counts) + PAYOUT_LIMITS.resendPausesMs.length).toBeLessThanOrEqual(40);
});
