import type { Logger } from '../../../src/platform/logger.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import type { Redis } from '../../../src/platform/redis/redis.ts';

/** A limiter with a fake Redis and a fake clock. */
const open = (options: { instances?: number; result: (now: number) => number[] | Error }) => {
  let now = 1_700_000_000_400;
  let calls = 0;
  const redis = {
    defineCommand: () => {},
    slidingLog: async () => {
      calls++;
      const result = options.result(now);
      if (result instanceof Error) throw result;
      return [result];
    },
  };
  const log = { warn: () => {} } as unknown as Logger;
  const limiter = createRateLimiter({
    redis: redis as unknown as Redis,
    log,
    windowMs: 60_000,
    instances: options.instances ?? 1,
    now: () => now,
  });
  return {
    decide: (limit: number) => limiter.decide('bucket', limit),
    pass: (ms: number) => {
      now += ms;
    },
    calls: () => calls,
    fallbacks: () => limiter.fallbackCount(),
  };
};

const unavailable = () => new Error('unavailable');

test('the result of Redis becomes the decision', async () => {
  const { decide } = open({ result: () => [1, 3, 59_000] });
  expect(await decide(10)).toEqual({ allowed: true, limit: 10, remaining: 7, resetAt: 1_700_000_060, retryAfter: 59 });
});

test.each([
  [1, 1, 1_700_000_001],
  [600, 1, 1_700_000_001],
  [601, 1, 1_700_000_002],
  [1_000, 1, 1_700_000_002],
  [1_001, 2, 1_700_000_002],
  [59_999, 60, 1_700_000_061],
])('the oldest leaves in %i ms: wait %i s, until %i', async (leavesInMs, retryAfter, resetAt) => {
  const { decide } = open({ result: () => [0, 5, leavesInMs] });
  expect(await decide(5)).toEqual({ allowed: false, limit: 5, remaining: 0, resetAt, retryAfter });
});

test('remaining is never negative, even after the limit was lowered', async () => {
  const { decide } = open({ result: () => [0, 60, 1_000] });
  expect(await decide(5)).toMatchObject({ allowed: false, remaining: 0 });
});

test('a process that allowed the limit itself rejects without calling Redis until the window ends', async () => {
  const { decide, pass, calls } = open({ result: () => [1, 1, 60_000] });
  for (let time = 0; time < 3; time++) expect((await decide(3)).allowed).toBe(true);
  expect(await decide(3)).toMatchObject({ allowed: false, retryAfter: 60 });
  pass(59_999);
  expect(await decide(3)).toMatchObject({ allowed: false, retryAfter: 1 });
  expect(calls()).toBe(3);
  pass(1);
  expect((await decide(3)).allowed).toBe(true);
});

test.each([
  [10, 1, 10],
  [10, 3, 3],
  [10, 4, 2],
  [3, 4, 1],
  [1, 4, 1],
])('fallbacks, of a limit of %i among %i processes: %i', async (limit, instances, share) => {
  const { decide } = open({ instances, result: unavailable });
  const decisions = [];
  for (let time = 0; time < limit + 2; time++) decisions.push(await decide(limit));
  expect(decisions.map(({ allowed }) => allowed)).toEqual(decisions.map((_, at) => at < share));
  expect(decisions.map(({ remaining }) => remaining)).toEqual(decisions.map((_, at) => Math.max(0, share - 1 - at)));
  expect(decisions.every((decision) => decision.limit === share)).toBe(true);
});

test('the window also slides without Redis', async () => {
  const { decide, pass } = open({ instances: 2, result: unavailable });
  expect((await decide(4)).allowed).toBe(true);
  pass(30_000);
  expect((await decide(4)).allowed).toBe(true);
  expect(await decide(4)).toMatchObject({ allowed: false, retryAfter: 30 });
  pass(30_000);
  expect((await decide(4)).allowed).toBe(true);
  expect(await decide(4)).toMatchObject({ allowed: false, retryAfter: 30 });
});

test('after a failure Redis is not called for 500 ms', async () => {
  let fails = true;
  const { decide, pass, calls, fallbacks } = open({ result: () => (fails ? unavailable() : [1, 1, 60_000]) });
  await decide(100);
  await decide(100);
  expect([calls(), fallbacks()]).toEqual([1, 2]);
  fails = false;
  pass(499);
  await decide(100);
  expect([calls(), fallbacks()]).toEqual([1, 3]);
  pass(1);
  await decide(100);
  expect([calls(), fallbacks()]).toEqual([2, 3]);
});
