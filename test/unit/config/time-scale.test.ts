import { loadConfig } from '../../../src/config.ts';
import { APPLICATION_TIMING } from '../../../src/contracts/applications.ts';
import { FLAG_TIMING } from '../../../src/contracts/flags.ts';
import { PAYOUT_LIMITS } from '../../../src/contracts/payouts.ts';
import { PAYOUT_TIMING } from '../../../src/contracts/workflows/payouts.ts';
import { STANDARD_SCHEDULE } from '../../../src/domains/webhooks/deliveries/schedule.rules.ts';
import { DAY_MS, HOUR_MS, timeScale } from '../../../src/platform/clock.ts';

const load = (more: Record<string, string>) =>
  loadConfig({
    DATABASE_URL: 'postgres://x',
    REDIS_URL: 'redis://x',
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    ...more,
  });

const SHORT = { ENVIRONMENT: 'development', SECONDS_PER_DAY: '2' };

test('production refuses days that are not 86,400 seconds long', () => {
  expect(() => load({ ...SHORT, ENVIRONMENT: 'production' })).toThrow('with ENVIRONMENT=production, a day has 86400 seconds');
  expect(() => load({ SECONDS_PER_DAY: '2' })).toThrow('ENVIRONMENT=production');
  expect(load({ SECONDS_PER_DAY: '86400' }).SECONDS_PER_DAY).toBe(86_400);
  expect(load({}).SECONDS_PER_DAY).toBe(86_400);
});

test.each(['https://tributary.example', 'http://10.0.0.5:3000', 'http://127.0.0.1.example:3000', 'http://0.0.0.0:3000'])(
  'an installation at %s refuses shorter days',
  (url) => {
    expect(() => load({ ...SHORT, PUBLIC_URL: url })).toThrow('PUBLIC_URL must be a loopback address');
  },
);

test.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000', 'http://127.8.8.8'])(
  'an installation at %s may simulate',
  (url) => {
    expect(load({ ...SHORT, PUBLIC_URL: url }).SECONDS_PER_DAY).toBe(2);
  },
);

test.each(['0', '-1', '1.5', '86401', 'two'])('a day of %s seconds is refused', (seconds) => {
  expect(() => load({ ...SHORT, SECONDS_PER_DAY: seconds })).toThrow('SECONDS_PER_DAY');
});

test('in real time, every duration stays as it is', () => {
  const scaled = timeScale(86_400);
  expect(scaled(30 * DAY_MS)).toBe(30 * DAY_MS);
  expect(scaled(STANDARD_SCHEDULE)).toBe(STANDARD_SCHEDULE);
});

test('with days of two seconds, durations of a minute or more are shortened, to a second at least; shorter ones stay', () => {
  const scaled = timeScale(2);
  expect([30 * DAY_MS, DAY_MS, 12 * HOUR_MS, HOUR_MS, 60_000].map(scaled)).toEqual([60_000, 2_000, 1_000, 1_000, 1_000]);
  expect([59_999, 10_000, 1, 0].map(scaled)).toEqual([59_999, 10_000, 1, 0]);
});

test('reviews, reminders, look-ups and retries are shortened; leases, pauses of seconds and shares are not', () => {
  const scaled = timeScale(2);
  expect(scaled(APPLICATION_TIMING)).toEqual({ remindAfterMs: [6_000, 14_000], expireAfterMs: 60_000 });
  expect(scaled(FLAG_TIMING)).toEqual({ remindAfterMs: [2_000, 6_000], recheckMs: 1_000, recheckMaxMs: 1_000 });
  const payoutTiming = {
    lookUpMs: 2_000,
    lookUpMaxMs: 1_000,
    remindAfterMs: [2_000, 6_000, 14_000],
    maxUnknownMs: 2_000,
    approval: { remindAfterMs: [2_000, 6_000], expireAfterMs: 14_000 },
  };
  expect(scaled(PAYOUT_TIMING)).toEqual(payoutTiming);
  expect(scaled(PAYOUT_LIMITS)).toEqual({
    resendPausesMs: [5_000, 1_000, 1_000, 1_000, 1_000],
    maxNotTakenPauseMs: 1_000,
    sendLeaseMs: 10_000,
    maxUnknownMs: 2_000,
  });
  expect(scaled(STANDARD_SCHEDULE)).toEqual({
    delaysMs: [0, 5_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_167, 1_667, 2_000],
    jitter: 0.1,
    jitterMaxMs: 1_000,
    minWaitMs: 1_000,
    maxWaitMs: 2_083,
  });
});
