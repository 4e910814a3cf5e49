import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../logger.ts';
import { type Redis, sayAway } from './redis.ts';

export interface RateDecision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix second at which the oldest counted request leaves the window. */
  resetAt: number;
  /** Whole seconds until then, at least 1. */
  retryAfter: number;
}

export interface RateLimiter {
  /** Counts the request when it is admitted; a refused one does not count. */
  decide(bucket: string, limit: number): Promise<RateDecision>;
  /** How many decisions this process has taken without Redis. */
  aloneSoFar(): number;
}

/** Exact sliding-window log: one sorted set per bucket, one call, the server's own clock. */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
local allowed = 0
if used < limit then
  redis.call('ZADD', KEYS[1], now, time[1] .. time[2] .. ARGV[3])
  redis.call('PEXPIRE', KEYS[1], window)
  used, allowed = used + 1, 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {allowed, used, tonumber(oldest[2]) + window - now}`;

type Scripted = Redis & { slidingLog(key: string, window: number, limit: number, member: string): Promise<number[]> };

/** What this process itself admitted: decides alone while Redis is away, and catches a flushed Redis. */
class OwnLog {
  readonly #admitted: LRUCache<string, number[]>;
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
    this.#admitted = new LRUCache({ max: 50_000, ttl: windowMs, updateAgeOnGet: false });
  }

  inWindow(bucket: string, now: number): number[] {
    const times = this.#admitted.get(bucket);
    if (!times) return [];
    const first = times.findIndex((time) => time > now - this.#windowMs);
    if (first !== 0) times.splice(0, first === -1 ? times.length : first);
    return times;
  }

  admit(bucket: string, at: number): number[] {
    const times = this.inWindow(bucket, at);
    times.push(at);
    this.#admitted.set(bucket, times);
    return times;
  }
}

export interface RateLimiterOptions {
  redis: Redis;
  log: Logger;
  windowMs: number;
  /** API processes that share a limit while Redis is away. */
  instances: number;
  now?: () => number;
}

const DISTRUST_MS = 500;
const ANSWER_WITHIN_MS = 50;

/** An answer that has arrived and waits to be read, because this process was busy, is in time: it is read first. */
const inTime = <T>(answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('Redis did not answer in time'));
    const timer = setTimeout(() => setImmediate(giveUp), ANSWER_WITHIN_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });

export const createRateLimiter = (options: RateLimiterOptions): RateLimiter => {
  const { redis, windowMs, instances } = options;
  const now = options.now ?? Date.now;
  const own = new OwnLog(windowMs);
  redis.defineCommand('slidingLog', { numberOfKeys: 1, lua: SCRIPT });
  const name = randomBytes(6).toString('base64url');
  let serial = 0;
  let distrustedUntil = 0;
  let alone = 0;

  const decision = (allowed: boolean, limit: number, used: number, leavesInMs: number): RateDecision => ({
    allowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt: Math.ceil((now() + leavesInMs) / 1000),
    retryAfter: Math.max(1, Math.ceil(leavesInMs / 1000)),
  });

  const byOwnLog = (bucket: string, limit: number): RateDecision => {
    const at = now();
    const share = Math.max(1, Math.floor(limit / instances));
    const before = own.inWindow(bucket, at);
    const allowed = before.length < share;
    const times = allowed ? own.admit(bucket, at) : before;
    alone++;
    return decision(allowed, share, times.length, (times[0] ?? at) + windowMs - at);
  };

  return {
    async decide(bucket, limit) {
      const at = now();
      if (at < distrustedUntil) return byOwnLog(bucket, limit);
      const times = own.inWindow(bucket, at);
      if (times.length >= limit) return decision(false, limit, times.length, (times[0] ?? at) + windowMs - at);
      try {
        const [allowed = 0, used = 0, leavesInMs = 0] = await inTime(
          (redis as Scripted).slidingLog(`rate:${bucket}`, windowMs, limit, `-${name}-${++serial}`),
        );
        // As of its arrival: the own log must not hold a request longer than Redis does.
        if (allowed === 1) own.admit(bucket, at);
        return decision(allowed === 1, limit, used, leavesInMs);
      } catch (error) {
        distrustedUntil = now() + DISTRUST_MS;
        sayAway(options.log, error);
        return byOwnLog(bucket, limit);
      }
    },
    aloneSoFar: () => alone,
  };
};
