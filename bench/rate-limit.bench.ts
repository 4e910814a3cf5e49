import { createLogger } from '../src/platform/logger.ts';
import { createRateLimiter } from '../src/platform/redis/rate-limit.ts';
import { openRedis } from '../src/platform/redis/redis.ts';
import { options } from './support/options.ts';
import { report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { withStack } from './support/stack.ts';

const CALLERS = 50;
/** A bucket is replaced before it reaches its limit: a rejection does not ask Redis. */
const LIMIT = 600;

/** P13: rate-limit decisions of 50 callers at once, against `PING` over the same client. */
await withStack(async ({ env }) => {
  const log = createLogger({ level: 'silent', process: 'bench' });
  const redis = openRedis(env['REDIS_URL'] ?? '', log);
  await new Promise((resolve) => redis.once('ready', resolve));
  const limiter = createRateLimiter({ redis, log, windowMs: 60_000, instances: 1 });
  let serial = 0;

  const decide = async (): Promise<void> => {
    const n = serial++;
    const caller = n % CALLERS;
    const { allowed } = await limiter.decide(`k:${caller}-${Math.floor(n / (CALLERS * LIMIT))}`, LIMIT);
    if (!allowed) throw new Error('a request was rejected');
  };
  const measure = (perform: () => Promise<unknown>) => async () => {
    const since = performance.now();
    const end = since + options.seconds * 1_000;
    const before = process.cpuUsage();
    let done = 0;
    const repeat = async (): Promise<void> => {
      for (; performance.now() < end; done++) await perform();
    };
    await Promise.all(Array.from({ length: CALLERS }, repeat));
    const { user, system } = process.cpuUsage(before);
    return { perSecond: (done * 1_000) / (performance.now() - since), cpuMicros: (user + system) / done };
  };
  const [ours, anchor] = [measure(decide), measure(() => redis.ping())];
  await ours();
  await anchor();
  const { rates, cpu } = await compareRates(ours, anchor);
  if (limiter.fallbackCount() > 0) throw new Error('some decisions were made without Redis');
  report({
    name: 'P13',
    what: 'rate-limit decisions of 50 callers, against PING over the same client',
    unit: 'decisions/s',
    floor: 0.4,
    goal: 0.65,
    ...rates,
    more: cpu,
  });
  redis.disconnect();
});
