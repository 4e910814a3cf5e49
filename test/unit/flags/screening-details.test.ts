import type { ScreeningState } from '../../../src/contracts/workflows/screening.ts';
import { describeScreening } from '../../../src/contracts/workflows/screening.ts';

const STATE: ScreeningState = {
  shard: 5,
  status: 'current',
  screened: 12,
  waiting: 0,
  waitingSince: null,
  failedRules: {},
  waitingFor: 'new conversions',
  needsAttention: false,
};

it('a shard that keeps up says how much it screened', () => {
  expect(describeScreening(STATE)).toBe('✓ **Up to date**, shard 5\n\n- Screened by this run: 12 conversions');
});

it.each([
  [9_999, '9999 conversions'],
  [10_000, '10000 or more conversions'],
])('a shard that is behind says how many wait, since when, and what to do: %s', (waiting, count) => {
  const text = describeScreening({ ...STATE, status: 'behind', waiting, waitingSince: '2026-01-31T21:05:00.000Z' });
  expect(text).toContain('⏳ **Behind**, shard 5');
  expect(text).toContain(`- Waiting: ${count}, the oldest since 2026-01-31 21:05 UTC`);
  expect(text).toContain('run more workers with the role `reviews`');
});

it('a rule that throws is named before anything else', () => {
  const text = describeScreening({ ...STATE, status: 'behind', failedRules: { self_referral: 3 }, needsAttention: true });
  expect(text).toContain('⚠ **A rule fails**, shard 5');
  expect(text).toContain('- Rules that failed: `self_referral` for 3');
  expect(text).toContain('`manual_review`');
});
