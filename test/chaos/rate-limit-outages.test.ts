import { once } from 'node:events';
import { findFreePort } from '../../src/local/stack/index.ts';
import { createRateLimiter, type RateLimiter } from '../../src/platform/redis/rate-limit.ts';
import { openRedis, type Redis } from '../../src/platform/redis/redis.ts';
import {
  keepingLog,
  type Moment,
  mostInAnyWindow,
  type OwnRedis,
  startLimiters,
  startOwnRedis,
} from '../api/pipeline/own-redis.ts';
import { unique } from '../support/factories.ts';
import { pause, until } from '../support/until.ts';

const LIMIT = 40;
const INSTANCES = 4;
const SHARE = 10;

let server: OwnRedis;
beforeAll(async () => {
  server = await startOwnRedis();
});
afterAll(() => server.close());

interface Opened {
  limiter: RateLimiter;
  redis: Redis;
  lines: string[];
  bucket: string;
}

const open = async (windowMs = 60_000): Promise<Opened> => {
  const { log, lines } = keepingLog();
  const redis = openRedis(server.url, log);
  await once(redis, 'ready');
  const limiter = createRateLimiter({ redis, log, windowMs, instances: INSTANCES });
  await limiter.decide('warm-up', 1);
  return { limiter, redis, lines, bucket: unique() };
};

const decide = async ({ limiter, bucket }: Opened, count: number): Promise<{ admitted: number; alone: number }> => {
  const before = limiter.fallbackCount();
  let admitted = 0;
  for (let time = 0; time < count; time++) if ((await limiter.decide(bucket, LIMIT)).allowed) admitted++;
  return { admitted, alone: limiter.fallbackCount() - before };
};

const untilBack = (opened: Opened) =>
  until(
    'a decision comes from Redis again',
    () => decide({ ...opened, bucket: unique() }, 1),
    ({ alone }) => alone === 0,
  );

const OUTAGES: [string, { begin(): Promise<unknown> | unknown; end(): Promise<unknown> | unknown }][] = [
  ['killed', { begin: () => server.kill(), end: () => server.start() }],
  ['frozen', { begin: () => server.freeze(), end: () => server.thaw() }],
  [
    'slow',
    { begin: () => server.ask.call('CLIENT', 'PAUSE', '60000', 'WRITE'), end: () => server.ask.call('CLIENT', 'UNPAUSE') },
  ],
  [
    'read-only',
    {
      begin: async () => server.ask.call('REPLICAOF', '127.0.0.1', String(await findFreePort(0))),
      end: () => server.ask.call('REPLICAOF', 'NO', 'ONE'),
    },
  ],
];

describe.each(OUTAGES)('Redis is %s', (_name, { begin, end }) => {
  it('each process admits its share and decides on its own, and logs that once', async () => {
    const opened = await open();
    await begin();
    const decided = await decide(opened, 50);
    const heard = [...opened.lines];
    await end();
    await untilBack(opened);
    opened.redis.disconnect();
    // A Redis that is frozen or slow answers none of them: only the deadline of a decision does.
    expect(decided).toEqual({ admitted: SHARE, alone: 50 });
    expect(heard).toEqual([expect.stringMatching(/redis unavailable/)]);
  });

  it('requests admitted before count, and afterwards the limit is exact again', async () => {
    const opened = await open();
    expect((await decide(opened, SHARE - 3)).admitted).toBe(SHARE - 3);
    await begin();
    expect((await decide(opened, 20)).admitted).toBe(3);
    await end();
    await untilBack(opened);
    const fresh = { ...opened, bucket: unique() };
    expect((await decide(fresh, LIMIT + 20)).admitted).toBe(LIMIT);
    expect(await server.ask.zcard(`rate:${fresh.bucket}`)).toBe(LIMIT);
    opened.redis.disconnect();
  });
});

test('a longer outage logs one line a minute', async () => {
  const opened = await open();
  const realNow = Date.now;
  await server.kill();
  try {
    for (let minute = 0; minute < 3; minute++) {
      Date.now = () => realNow() + minute * 60_001;
      await decide(opened, 5);
      await pause(700, 'Redis is asked again');
      await decide(opened, 5);
    }
  } finally {
    Date.now = realNow;
    await server.start();
    opened.redis.disconnect();
  }
  expect(opened.lines).toHaveLength(3);
});

test('after a flush of Redis each process still counts its own requests, and at most one more limit is admitted in total', async () => {
  const [one, two] = [await open(), await open()];
  const second = { ...two, bucket: one.bucket };
  expect((await decide(one, LIMIT)).admitted).toBe(LIMIT);
  expect((await decide(second, 5)).admitted).toBe(0);
  await server.ask.flushall();
  expect((await decide(one, 10)).admitted).toBe(0);
  expect((await decide(second, 2 * LIMIT)).admitted).toBe(LIMIT);
  expect((await decide(one, 10)).admitted).toBe(0);
  for (const { redis } of [one, two]) redis.disconnect();
});

test('an emptied script cache is filled again without failed requests', async () => {
  const opened = await open();
  expect((await decide(opened, 5)).admitted).toBe(5);
  await server.ask.call('SCRIPT', 'FLUSH');
  expect((await decide(opened, LIMIT)).admitted).toBe(LIMIT - 5);
  expect([opened.limiter.fallbackCount(), opened.lines]).toEqual([0, []]);
  opened.redis.disconnect();
});

describe('with four processes', () => {
  const windowMs = 1_000;
  const settings = () => ({ redisUrl: server.url, bucket: unique(), limit: LIMIT, windowMs, instances: INSTANCES });
  const together = async (limiters: Awaited<ReturnType<typeof startLimiters>>, each: number, atOnce: number) => {
    const found = await Promise.all(limiters.map((limiter) => limiter.decide(each, atOnce)));
    return { admitted: found.flatMap((one) => one.admitted), alone: found.reduce((sum, one) => sum + one.alone, 0) };
  };

  /** On a busy machine Redis may be late once; the limit is exact only while it is not. */
  const undisturbed = async (left = 4): Promise<Moment[]> => {
    const limiters = await startLimiters(INSTANCES, settings());
    const { admitted, alone } = await together(limiters, 2_500, 10);
    await Promise.all(limiters.map((limiter) => limiter.stop()));
    return alone === 0 || left === 1 ? admitted : undisturbed(left - 1);
  };

  it('10⁴ requests: never above the limit in any window, and the limit is reached', async () => {
    const admitted = await undisturbed();
    const lastAt = Math.max(...admitted.map(([before]) => before));
    const windows = Math.floor((lastAt - Math.min(...admitted.map(([, after]) => after))) / windowMs);
    expect(mostInAnyWindow(admitted, windowMs)).toBeLessThanOrEqual(LIMIT);
    expect(windows).toBeGreaterThanOrEqual(2);
    expect(admitted.length).toBeGreaterThanOrEqual(windows * LIMIT);
  });

  it('while Redis is unavailable: never above the limit, and no process is starved', async () => {
    const limiters = await startLimiters(INSTANCES, settings());
    await server.kill();
    const { admitted } = await together(limiters, 600, 5);
    await server.start();
    await Promise.all(limiters.map((limiter) => limiter.stop()));
    expect(mostInAnyWindow(admitted, windowMs)).toBeLessThanOrEqual(LIMIT);
    expect(admitted.length).toBeGreaterThanOrEqual(LIMIT);
  });

  it('when Redis fails or is flushed during the run: at most twice the limit in any window', async () => {
    const limiters = await startLimiters(INSTANCES, settings());
    const first = together(limiters, 400, 5);
    await pause(300, 'requests are under way');
    await server.ask.flushall();
    const second = first.then(() => together(limiters, 400, 5));
    await first;
    await server.kill();
    const found = [...(await first).admitted, ...(await second).admitted];
    await server.start();
    await Promise.all(limiters.map((limiter) => limiter.stop()));
    expect(mostInAnyWindow(found, windowMs)).toBeLessThanOrEqual(2 * LIMIT);
  });
});
