import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { FAILED_SIGNATURES_PER_MINUTE, RATE_WINDOW_MS } from '../../contracts/limits.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { readSignatureHeaders } from '../../platform/crypto/standard-webhooks.ts';
import { AppError } from '../../platform/errors.ts';
import { JSON_TYPE, successText } from '../../platform/http/envelope.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import { readStripeSignature } from '../../platform/stripe/verify-stripe-event.ts';
import type { Runtime } from '../../runtime.ts';
import { overloaded } from '../hardening/load-shedding.ts';

/** Inbound webhooks are limited by concurrency instead of a rate: payment systems send in bursts. */
const MAX_CONCURRENT = 64;
/** The rest of a longer body is not even discarded: the connection ends. */
const MAX_DISCARDED_BYTES = 64 * 1_024;

/** Counts the requests of an address without a valid signature. One that has sent too many is remembered: valid ones cost no call to Redis. */
const limitFailures = (limiter: RateLimiter) => {
  const limitedUntil = new LRUCache<string, number>({ max: 50_000, ttl: RATE_WINDOW_MS });
  return {
    assertAllowed({ address }: FastifyRequest, reply: FastifyReply): void {
      const waitMs = (limitedUntil.get(address) ?? 0) - Date.now();
      if (waitMs <= 0) return;
      const retryAfter = Math.ceil(waitMs / SECOND_MS);
      reply.header('retry-after', retryAfter);
      throw new AppError('RATE_LIMITED', 'Too many requests of this address had no valid signature', { retryAfter });
    },
    async count({ address }: FastifyRequest, error: unknown): Promise<void> {
      if (!(error instanceof AppError) || !isFailedSignature(error)) return;
      const { remaining, resetAt } = await limiter.decide(`signature:${address}`, FAILED_SIGNATURES_PER_MINUTE);
      if (remaining === 0) limitedUntil.set(address, resetAt * SECOND_MS);
    },
  };
};

/** Programs and rails that do not exist are guesses, too. */
const isFailedSignature = ({ code }: AppError): boolean => code === 'UNAUTHORIZED' || code === 'NOT_FOUND';

type Failures = ReturnType<typeof limitFailures>;

export const mountInboundWebhooks = (
  app: FastifyInstance,
  webhooks: readonly InboundWebhook[],
  { runtime, limiter }: { runtime: Runtime; limiter: RateLimiter },
): void => {
  const failures = limitFailures(limiter);
  for (const webhook of webhooks) mountInboundWebhook(app, webhook, { runtime, failures });
};

/** Rejects by the head of the request, before its body is received. */
const admitTo =
  ({ signature }: InboundWebhook, failures: Failures) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { headers } = request;
    const isLong = !(Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES) || 'transfer-encoding' in headers;
    try {
      failures.assertAllowed(request, reply);
      if (signature === 'stripe') readStripeSignature(headers);
      else readSignatureHeaders(headers);
    } catch (error) {
      if (isLong) reply.header('connection', 'close');
      await failures.count(request, error);
      throw error;
    }
  };

const mountInboundWebhook = (
  app: FastifyInstance,
  webhook: InboundWebhook,
  { runtime, failures }: { runtime: Runtime; failures: Failures },
): void => {
  let inFlight = 0;
  app.register((scope, _options, mounted) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const url = webhook.path.replaceAll(/\{(\w+)\}/g, ':$1');
    scope.post(url, { config: { admit: admitTo(webhook, failures) } }, async (request, reply) => {
      if (inFlight >= MAX_CONCURRENT) {
        throw overloaded(reply, 'The server is overloaded');
      }
      inFlight++;
      try {
        const data = await webhook.handle({
          ctx: runtime.context({ kind: 'system', name: webhook.id }, request.log),
          params: request.params as Record<string, string>,
          headers: request.headers,
          rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        });
        return reply.header('content-type', JSON_TYPE).send(successText(JSON.stringify(data), { requestId: request.id }));
      } catch (error) {
        await failures.count(request, error);
        throw error;
      } finally {
        inFlight--;
      }
    });
    mounted();
  });
};
