import { LRUCache } from 'lru-cache';
import { bounded } from '../bounded.ts';
import type { Logger } from '../logger.ts';
import { logUnavailable, type Redis } from './redis.ts';
import { createSlidingWindow } from './sliding-window.ts';

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
  /** Counts the request if it is allowed; a rejected one does not count. */
  decide(bucket: string, limit: number): Promise<RateDecision>;
  /** How many decisions this process has made without Redis. */
  fallbackCount(): number;
}

/** Expired cache entries are noticed at this resolution. */
const CLOCK_MS = 100;

/** Requests that this process allowed. Decides while Redis is unavailable, and keeps limits if Redis loses its data. */
class LocalWindow {
  readonly #admitted: LRUCache<string, number[]>;
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
    this.#admitted = new LRUCache({ ...bounded(50_000), ttl: windowMs, ttlResolution: CLOCK_MS });
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
  /** API processes that share a limit while Redis is unavailable. */
  instances: number;
  now?: () => number;
}

const CIRCUIT_OPEN_MS = 500;

export const createRateLimiter = (options: RateLimiterOptions): RateLimiter => {
  const { redis, windowMs, instances } = options;
  const now = options.now ?? Date.now;
  const local = new LocalWindow(windowMs);
  const decideInRedis = createSlidingWindow(redis, windowMs);
  let circuitOpenUntil = 0;
  let fallbacks = 0;

  const decision = (allowed: boolean, limit: number, used: number, leavesInMs: number): RateDecision => ({
    allowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt: Math.ceil((now() + leavesInMs) / 1000),
    retryAfter: Math.max(1, Math.ceil(leavesInMs / 1000)),
  });

  const decideLocally = (bucket: string, limit: number): RateDecision => {
    const at = now();
    const share = Math.max(1, Math.floor(limit / instances));
    const before = local.inWindow(bucket, at);
    const allowed = before.length < share;
    const times = allowed ? local.admit(bucket, at) : before;
    fallbacks++;
    return decision(allowed, share, times.length, (times[0] ?? at) + windowMs - at);
  };

  return {
    async decide(bucket, limit) {
      const at = now();
      if (at < circuitOpenUntil) return decideLocally(bucket, limit);
      const times = local.inWindow(bucket, at);
      if (times.length >= limit) return decision(false, limit, times.length, (times[0] ?? at) + windowMs - at);
      try {
        const [allowed, used, leavesInMs] = await decideInRedis(`rate:${bucket}`, limit);
        // With the time before the call: a request must not stay in the local window longer than in Redis.
        if (allowed === 1) local.admit(bucket, at);
        return decision(allowed === 1, limit, used, leavesInMs);
      } catch (error) {
        circuitOpenUntil = now() + CIRCUIT_OPEN_MS;
        logUnavailable(options.log, error);
        return decideLocally(bucket, limit);
      }
    },
    fallbackCount: () => fallbacks,
  };
};
