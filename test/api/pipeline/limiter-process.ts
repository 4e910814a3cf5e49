import { createLogger } from '../../../src/platform/logger.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import { openRedis } from '../../../src/platform/redis/redis.ts';
import { pause } from '../../support/until.ts';

/**
 * A process with its own limiter. For each line `{count, atOnce}` on stdin it makes that many decisions and prints one line:
 * when requests were admitted, between two readings of the clock, and how many decisions were made without Redis.
 */
const { redisUrl, bucket, limit, windowMs, instances } = JSON.parse(process.argv[2] ?? '{}');
const log = createLogger({ level: 'silent', process: 'limiter' });
const redis = openRedis(redisUrl, log);
const limiter = createRateLimiter({ redis, log, windowMs, instances });
if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve).once('close', resolve));

const decide = async () => {
  const before = Date.now();
  const { allowed } = await limiter.decide(bucket, limit);
  return { before, after: Date.now(), allowed };
};

const run = async (count: number, atOnce: number): Promise<void> => {
  const admitted: [number, number][] = [];
  for (let done = 0; done < count; done += atOnce) {
    for (const { before, after, allowed } of await Promise.all(Array.from({ length: atOnce }, decide))) {
      if (allowed) admitted.push([before, after]);
    }
    await pause(10, '10⁴ decisions in one window would prove little');
  }
  process.stdout.write(`${JSON.stringify({ admitted, alone: limiter.fallbackCount() })}\n`);
};

process.stdout.write('"ready"\n');
for await (const chunk of process.stdin) {
  const { count, atOnce } = JSON.parse(String(chunk));
  await run(count, atOnce);
}
process.exit(0);
