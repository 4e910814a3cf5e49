import type { FastifyReply, FastifyRequest } from 'fastify';
import { DOCS_PER_MINUTE } from '../contracts/limits.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';
import { rateLimited } from './pipeline/caller.ts';

export type DocsLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The pages need no key, and their script is large: each address may load them 120 times a minute. */
export const limitDocs =
  (limiter: RateLimiter): DocsLimit =>
  async (request, reply) => {
    const rate = await limiter.decide(`d:${request.address}`, DOCS_PER_MINUTE);
    if (rate.allowed) return;
    reply.header('retry-after', rate.retryAfter).header('cache-control', 'no-store');
    throw rateLimited(rate);
  };
