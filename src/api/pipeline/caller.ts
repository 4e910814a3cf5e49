import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS_PER_MINUTE } from '../../contracts/limits.ts';
import type { Scope } from '../../contracts/scopes.ts';
import type { ApiKeyCache, CachedApiKey } from '../../domains/auth/index.ts';
import { AppError } from '../../platform/errors.ts';
import { type Access, scopeFor } from '../../platform/http/operation.ts';
import type { RateDecision, RateLimiter } from '../../platform/redis/rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: CachedApiKey | null;
  }
}

const bearerOf = (request: FastifyRequest): string | null => {
  const header = request.headers.authorization;
  return header?.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : null;
};

/** IPv6 callers own a /64 at least: the whole block is one address. IPv4 written as IPv6 is IPv4. */
export const addressBucket = (written: string): string => {
  const ip = written.toLowerCase();
  if (ip.startsWith('::ffff:') && ip.includes('.')) return ip.slice(7);
  if (!ip.includes(':')) return ip;
  const [head = '', tail] = ip.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return `${[...left, ...zeros, ...right]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
};

/** The headers that every answer under /api/v1 carries; `Retry-After` with a refusal only. */
export const rateHeaders = (rate: RateDecision): Record<string, number> => ({
  'x-ratelimit-limit': rate.limit,
  'x-ratelimit-remaining': rate.remaining,
  'x-ratelimit-reset': rate.resetAt,
  ...(rate.allowed ? {} : { 'retry-after': rate.retryAfter }),
});

export const tooMany = (rate: RateDecision): AppError =>
  new AppError('RATE_LIMITED', `Too many requests: ${rate.limit} a minute`, { retryAfter: rate.retryAfter });

/** Looks the key up and counts the request. Order: decisions on access, section 1.2. */
export const identify =
  (keys: ApiKeyCache, limiter: RateLimiter) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const text = bearerOf(request);
    let fault: unknown;
    try {
      if (text !== null) request.caller = await keys.find(text);
    } catch (error) {
      fault = error ?? new Error('key look-up failed');
    }
    const { caller } = request;
    if (caller) await count(limiter, `k:${caller.keyId}`, caller.perMinute, reply);
    else await count(limiter, `a:${addressBucket(request.ip)}`, ANONYMOUS_PER_MINUTE, reply);
    if (fault !== undefined) throw fault;
  };

const count = async (limiter: RateLimiter, bucket: string, limit: number, reply: FastifyReply): Promise<void> => {
  const rate = await limiter.decide(bucket, limit);
  reply.headers(rateHeaders(rate));
  if (!rate.allowed) throw tooMany(rate);
};

const TYPE_NAMES = { merchant: 'Merchant', affiliate: 'Affiliate', onboarding: 'Onboarding' } as const;

/** Key valid, then key type, then scope. */
export const authorize = (access: Access, caller: CachedApiKey | null): void => {
  if (access === 'public') return;
  if (!caller) throw new AppError('UNAUTHORIZED', 'A valid API key is required: Authorization: Bearer <API_KEY>');
  if (!access.keys.includes(caller.keyType)) {
    throw new AppError('FORBIDDEN', `${TYPE_NAMES[access.keys[0]]} key required`);
  }
  const required: Scope | null = scopeFor(access, caller.keyType);
  if (required !== null && !caller.scopes.has(required)) {
    throw new AppError('INSUFFICIENT_SCOPE', `This key lacks the scope ${required}`, {
      required,
      granted: [...caller.scopes],
    });
  }
};
