import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS_PER_MINUTE } from '../../contracts/limits.ts';
import type { AffiliateSessions, ApiKeyCache, CachedApiKey, KeyRejection } from '../../domains/auth/index.ts';
import { AppError } from '../../platform/errors.ts';
import type { Browser } from '../../platform/http/browser.ts';
import { decideByAddress } from '../../platform/redis/address-limit.ts';
import type { RateDecision, RateLimiter } from '../../platform/redis/rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: CachedApiKey | null;
    /** The bucket of the sender's address, read on arrival: a connection that has ended has no address. */
    address: string;
    /** Why there is no caller. */
    keyRejection: KeyRejection | 'missing';
  }
}

const bearerOf = (request: FastifyRequest): string | null => {
  const header = request.headers.authorization;
  return header?.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : null;
};

/** Longer than that of any browser. */
const MAX_USER_AGENT = 1_000;

export const browserOf = ({ headers, address }: FastifyRequest): Browser => ({
  address,
  userAgent: (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
});

/** The headers of every response under /api/v1; `Retry-After` only when the limit is exceeded. */
export const rateHeaders = (rate: RateDecision): Record<string, number> => ({
  'x-ratelimit-limit': rate.limit,
  'x-ratelimit-remaining': rate.remaining,
  'x-ratelimit-reset': rate.resetAt,
  ...(rate.allowed ? {} : { 'retry-after': rate.retryAfter }),
});

export const rateLimited = (rate: RateDecision): AppError =>
  new AppError('RATE_LIMITED', `Rate limit exceeded: ${rate.limit} requests per minute`, { retryAfter: rate.retryAfter });

/**
 * The group of requests without a valid key. Who opens invites cannot be kept from it by failed sign-ins of the same address;
 * a key that is guessed there counts as any other guess.
 */
const groupOf = ({ routeOptions, keyRejection }: FastifyRequest): 'a' | 'i' =>
  routeOptions.config.operation?.id === 'getInvite' && keyRejection === 'missing' ? 'i' : 'a';

/**
 * Verifies the key and counts the request, by key or else by address. A failed look-up is thrown after the request is
 * counted.
 */
export const identify =
  (keys: ApiKeyCache, limiter: RateLimiter, sessions: AffiliateSessions) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const text = bearerOf(request);
    let failure: unknown;
    try {
      const found = text === null ? 'missing' : await keys.verify(text);
      if (typeof found === 'string') request.keyRejection = found;
      else request.caller = found;
    } catch (error) {
      failure = error ?? new Error('key look-up failed');
    }
    const { caller } = request;
    if (caller) admit(await limiter.decide(`k:${caller.keyId}`, caller.perMinute), reply);
    else admit(await decideByAddress(limiter, anonymous(request)), reply);
    if (failure !== undefined) throw failure;
    if (caller) sessions.record(caller, browserOf(request));
  };

const anonymous = (request: FastifyRequest) => ({
  group: groupOf(request),
  address: request.address,
  limit: ANONYMOUS_PER_MINUTE,
});

const admit = (rate: RateDecision, reply: FastifyReply): void => {
  reply.headers(rateHeaders(rate));
  if (!rate.allowed) throw rateLimited(rate);
};

const REJECTIONS: Readonly<Record<KeyRejection | 'missing', string>> = {
  missing: 'An API key is required: Authorization: Bearer <API_KEY>',
  malformed: 'The API key is malformed',
  unknown: 'The API key is not valid',
  revoked: 'The API key has been revoked',
  expired: 'The API key has expired',
};

export const rejectionOf = ({ keyRejection }: FastifyRequest): string => REJECTIONS[keyRejection];
