import { LRUCache } from 'lru-cache';
import type { Logger } from '../logger.ts';
import type { Redis } from './redis.ts';

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

  admit(bucket: string, now: number): void {
    const times = this.inWindow(bucket, now);
    times.push(now);
    this.#admitted.set(bucket, times);
  }
}

export interface RateLimiterOptions {
  redis: Redis;
  log: Logger;
  windowMs: number;
  /** API processes that share a limit while Redis is away. */
  instances: number;
  now?: () => number;
  onFallback?: () => void;
}

const DISTRUST_MS = 500;
const SILENCE_MS = 60_000;

export const createRateLimiter = (options: RateLimiterOptions): RateLimiter => {
  const { redis, windowMs, instances } = options;
  const now = options.now ?? Date.now;
  const own = new OwnLog(windowMs);
  redis.defineCommand('slidingLog', { numberOfKeys: 1, lua: SCRIPT });
  let distrustedUntil = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  let serial = 0;

  const decision = (allowed: boolean, limit: number, used: number, leavesInMs: number): RateDecision => ({
    allowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt: Math.ceil((now() + leavesInMs) / 1000),
    retryAfter: Math.max(1, Math.ceil(leavesInMs / 1000)),
  });

  const byOwnLog = (bucket: string, limit: number): RateDecision => {
    const at = now();
    const times = own.inWindow(bucket, at);
    const allowed = times.length < limit;
    if (allowed) own.admit(bucket, at);
    const oldest = times[0] ?? at;
    return decision(allowed, limit, times.length + (allowed && times[times.length - 1] !== at ? 1 : 0), oldest + windowMs - at);
  };

  const fallBack = (error: unknown): void => {
    distrustedUntil = now() + DISTRUST_MS;
    options.onFallback?.();
    if (now() - saidAt < SILENCE_MS) return;
    saidAt = now();
    options.log.warn({ err: error }, 'rate limits are decided by this process alone: redis did not answer');
  };

  return {
    async decide(bucket, limit) {
      const alone = Math.max(1, Math.floor(limit / instances));
      if (now() < distrustedUntil) return byOwnLog(bucket, alone);
      const times = own.inWindow(bucket, now());
      if (times.length >= limit) return decision(false, limit, times.length, (times[0] ?? 0) + windowMs - now());
      try {
        const key = `rate:${bucket}`;
        const [allowed = 0, used = 0, leavesInMs = 0] = await (redis as Scripted).slidingLog(
          key,
          windowMs,
          limit,
          `-${process.pid}-${++serial}`,
        );
        if (allowed === 1) own.admit(bucket, now());
        return decision(allowed === 1, limit, used, leavesInMs);
      } catch (error) {
        fallBack(error);
        return byOwnLog(bucket, alone);
      }
    },
  };
};
