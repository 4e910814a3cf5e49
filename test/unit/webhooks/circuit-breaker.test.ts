import { CircuitBreaker } from '../../../src/domains/webhooks/lanes/circuit-breaker.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Without jitter. */
const closed = () => new CircuitBreaker(undefined, () => 0);
const fail = (breaker: CircuitBreaker, nowMs: number, minWaitMs = 0) =>
  breaker.failed(nowMs, { minWaitMs, wasProbe: breaker.isOpen });

const open = (nowMs = 0): CircuitBreaker => {
  const breaker = closed();
  for (let n = 0; n < 10; n += 1) fail(breaker, nowMs);
  return breaker;
};

test('the breaker opens after ten failures in a row, and pauses attempts for 30 seconds', () => {
  const breaker = closed();
  for (let n = 0; n < 9; n += 1) expect(fail(breaker, 0)).toBe(false);
  expect(breaker.isPaused(0)).toBe(false);
  expect(fail(breaker, 0)).toBe(true);
  expect(breaker.state).toEqual({ untilMs: 30 * SECOND, failures: 1, failingSinceMs: 0 });
  expect(breaker.isPaused(29 * SECOND)).toBe(true);
  expect(breaker.isPaused(30 * SECOND)).toBe(false);
});

test('the breaker opens at 70 % failures of at least ten attempts within five minutes, and not when they are further apart', () => {
  const flapping = closed();
  for (let n = 0; n < 9; n += 1) {
    if (n % 3 === 0) flapping.succeeded(0);
    else fail(flapping, 0);
  }
  expect(flapping.isOpen).toBe(false);
  for (let n = 0; n < 4; n += 1) fail(flapping, 0);
  expect(flapping.isOpen).toBe(true);

  const rare = closed();
  for (let n = 0; n < 20; n += 1) {
    if (n % 5 === 0) rare.succeeded(n * 10 * MINUTE);
    else fail(rare, n * 10 * MINUTE);
  }
  expect(rare.isOpen).toBe(false);
});

test('the pause doubles with each failed probe up to ten minutes, and a success closes the breaker', () => {
  const breaker = open();
  const pauses: number[] = [];
  for (let nowMs = 30 * SECOND; pauses.length < 7; ) {
    fail(breaker, nowMs);
    pauses.push((breaker.state.untilMs ?? 0) - nowMs);
    nowMs = breaker.state.untilMs ?? 0;
  }
  expect(pauses).toEqual([1, 2, 4, 8, 10, 10, 10].map((minutes) => minutes * MINUTE));
  expect(breaker.succeeded(2 * HOUR)).toBe(true);
  expect(breaker.state).toEqual({ untilMs: null, failures: 0, failingSinceMs: null });
});

test('attempts that were started before the breaker opened do not extend its pause', () => {
  const breaker = open();
  for (let n = 0; n < 20; n += 1) expect(breaker.failed(1, { minWaitMs: 0, wasProbe: false })).toBe(false);
  expect(breaker.state.untilMs).toBe(30 * SECOND);
});

test('probes of endpoints that failed together are spread over a fifth of the pause, never earlier', () => {
  const untils = [0, 0.5, 1].map((random) => {
    const breaker = new CircuitBreaker(undefined, () => random);
    for (let n = 0; n < 10; n += 1) fail(breaker, 0);
    return breaker.state.untilMs;
  });
  expect(untils).toEqual([30 * SECOND, 33 * SECOND, 36 * SECOND]);
});

test('Retry-After holds back at the first failure, and never shortens a pause', () => {
  const breaker = closed();
  expect(fail(breaker, 0, 120 * SECOND)).toBe(true);
  expect(breaker.isPaused(119 * SECOND)).toBe(true);
  expect(breaker.isPaused(120 * SECOND)).toBe(false);
  expect(breaker.state.failures).toBe(0);
  const open10 = open();
  fail(open10, 30 * SECOND, SECOND);
  expect(open10.state.untilMs).toBe(90 * SECOND);
});

test('remembers since when the endpoint fails, also in another process, until a success', () => {
  const restored = new CircuitBreaker(open().state, () => 0);
  fail(restored, 120 * HOUR);
  expect(restored.state.failingSinceMs).toBe(0);
  restored.succeeded(121 * HOUR);
  expect(restored.state.failingSinceMs).toBeNull();
});

test('a success ends what retries began while the breaker was closed', () => {
  const breaker = closed();
  breaker.restore({ untilMs: null, failures: 0, failingSinceMs: 5 });
  expect(fail(breaker, HOUR)).toBe(false);
  fail(breaker, HOUR, SECOND);
  expect(breaker.state.failingSinceMs).toBe(5);
  breaker.restore({ untilMs: null, failures: 0, failingSinceMs: 5 });
  expect(breaker.succeeded(2 * HOUR)).toBe(true);
  expect(breaker.state).toEqual({ untilMs: null, failures: 0, failingSinceMs: null });
  expect(breaker.succeeded(2 * HOUR)).toBe(false);
});

test('an endpoint that was enabled again starts with a clean record', () => {
  const breaker = open();
  breaker.restore({ untilMs: null, failures: 0, failingSinceMs: null });
  fail(breaker, 121 * HOUR);
  expect(breaker.isOpen).toBe(false);
});

test('Retry-After alone does not say that the endpoint fails', () => {
  const breaker = closed();
  fail(breaker, 0, SECOND);
  fail(breaker, 144 * HOUR, SECOND);
  expect(breaker.state).toMatchObject({ failures: 0, failingSinceMs: null });
});
