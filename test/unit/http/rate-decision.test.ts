import type { Logger } from '../../../src/platform/logger.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import type { Redis } from '../../../src/platform/redis/redis.ts';

/** A limiter whose Redis answers as told, on a clock of the test's own. */
const open = (options: { instances?: number; answer: (now: number) => number[] | Error }) => {
  let now = 1_700_000_000_400;
  let asked = 0;
  const redis = {
    defineCommand: () => {},
    slidingLog: async () => {
      asked++;
      const answer = options.answer(now);
      if (answer instanceof Error) throw answer;
      return [answer];
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
    asked: () => asked,
    alone: () => limiter.fallbackCount(),
  };
};

const away = () => new Error('away');

test('what Redis counted becomes the headers', async () => {
  const { decide } = open({ answer: () => [1, 3, 59_000] });
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
  const { decide } = open({ answer: () => [0, 5, leavesInMs] });
  expect(await decide(5)).toEqual({ allowed: false, limit: 5, remaining: 0, resetAt, retryAfter });
});

test('remaining is never below nothing, as after a lowered limit', async () => {
  const { decide } = open({ answer: () => [0, 60, 1_000] });
  expect(await decide(5)).toMatchObject({ allowed: false, remaining: 0 });
});

test('a process that has admitted the limit itself refuses without asking, to the end of the window', async () => {
  const { decide, pass, asked } = open({ answer: () => [1, 1, 60_000] });
  for (let time = 0; time < 3; time++) expect((await decide(3)).allowed).toBe(true);
  expect(await decide(3)).toMatchObject({ allowed: false, retryAfter: 60 });
  pass(59_999);
  expect(await decide(3)).toMatchObject({ allowed: false, retryAfter: 1 });
  expect(asked()).toBe(3);
  pass(1);
  expect((await decide(3)).allowed).toBe(true);
});

test.each([
  [10, 1, 10],
  [10, 3, 3],
  [10, 4, 2],
  [3, 4, 1],
  [1, 4, 1],
])('alone, of a limit of %i among %i processes: %i', async (limit, instances, share) => {
  const { decide } = open({ instances, answer: away });
  const decisions = [];
  for (let time = 0; time < limit + 2; time++) decisions.push(await decide(limit));
  expect(decisions.map(({ allowed }) => allowed)).toEqual(decisions.map((_, at) => at < share));
  expect(decisions.map(({ remaining }) => remaining)).toEqual(decisions.map((_, at) => Math.max(0, share - 1 - at)));
  expect(decisions.every((decision) => decision.limit === share)).toBe(true);
});

test('alone, the window slides as well', async () => {
  const { decide, pass } = open({ instances: 2, answer: away });
  expect((await decide(4)).allowed).toBe(true);
  pass(30_000);
  expect((await decide(4)).allowed).toBe(true);
  expect(await decide(4)).toMatchObject({ allowed: false, retryAfter: 30 });
  pass(30_000);
  expect((await decide(4)).allowed).toBe(true);
  expect(await decide(4)).toMatchObject({ allowed: false, retryAfter: 30 });
});

test('after a failure Redis is left alone for half a second, then asked again', async () => {
  let fails = true;
  const { decide, pass, asked, alone } = open({ answer: () => (fails ? away() : [1, 1, 60_000]) });
  await decide(100);
  await decide(100);
  expect([asked(), alone()]).toEqual([1, 2]);
  fails = false;
  pass(499);
  await decide(100);
  expect([asked(), alone()]).toEqual([1, 3]);
  pass(1);
  await decide(100);
  expect([asked(), alone()]).toEqual([2, 3]);
});
