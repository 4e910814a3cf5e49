import { randomBytes } from 'node:crypto';
import type { Redis } from './redis.ts';

/**
 * Exact sliding-window log: one sorted set per bucket, the server's own clock, decided one after the other in one call for
 * all requests that came in the same moment.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, member = tonumber(ARGV[1]), time[1] .. time[2] .. ARGV[2]
local answers = {}
for n, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[n + 2])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  local used = redis.call('ZCARD', key)
  local allowed = 0
  if used < limit then
    redis.call('ZADD', key, now, member .. '-' .. n)
    redis.call('PEXPIRE', key, window)
    used, allowed = used + 1, 1
  end
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  answers[n] = {allowed, used, tonumber(oldest[2]) + window - now}
end
return answers`;

/** A bound on how long one call keeps Redis from others. */
const MAX_CONCURRENT = 64;

/** `leavesInMs`: until the oldest counted request leaves the window. */
type Answer = readonly [allowed: number, used: number, leavesInMs: number];
type Scripted = Redis & { slidingLog(count: number, ...keysAndArguments: (string | number)[]): Promise<Answer[]> };

const RESPONSE_TIMEOUT_MS = 50;

/** An answer that has arrived and waits to be read, because this process was busy, is in time: it is read first. */
const inTime = <T>(answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('Redis did not answer in time'));
    const timer = setTimeout(() => setImmediate(giveUp), RESPONSE_TIMEOUT_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });

interface Asked {
  key: string;
  limit: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Counts one request more under a key, unless the window holds `limit` already. What is asked while the process reads its
 * sockets goes to Redis in one call. Rejects when the answer is not there in 50 ms.
 */
export const createSlidingWindow = (redis: Redis, windowMs: number) => {
  redis.defineCommand('slidingLog', { lua: SCRIPT });
  const name = randomBytes(6).toString('base64url');
  let serial = 0;
  let waiting: Asked[] = [];

  const send = (): void => {
    const asked = waiting;
    if (asked.length === 0) return;
    waiting = [];
    const keys = asked.map(({ key }) => key);
    const limits = asked.map(({ limit }) => limit);
    const call = (redis as Scripted).slidingLog(keys.length, ...keys, windowMs, `-${name}-${++serial}`, ...limits);
    inTime(call).then(
      (answers) => {
        for (const [at, one] of asked.entries()) {
          const answer = answers[at];
          if (answer) one.resolve(answer);
          else one.reject(new Error('Redis left a request out'));
        }
      },
      (error: unknown) => {
        for (const one of asked) one.reject(error);
      },
    );
  };
  return (key: string, limit: number): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const count = waiting.push({ key, limit, resolve, reject });
      if (count === 1) setImmediate(send);
      else if (count === MAX_CONCURRENT) send();
    });
};
