import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readSignatureHeaders } from '../../platform/crypto/standard-webhooks.ts';
import { AppError } from '../../platform/errors.ts';
import { JSON_TYPE, successText } from '../../platform/http/envelope.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import { readStripeSignature } from '../../platform/stripe/verify-stripe-event.ts';
import type { Runtime } from '../../runtime.ts';
import { LIMITS } from '../hardening/limits.ts';
import { createLoadShedder, isGone, type LoadShedder, overloaded } from '../hardening/load-shedding.ts';
import { DISCONNECTED, sendError } from './errors.ts';
import { countFailedSignatures, type FailedSignatures, isFailedSignature, targetOf } from './failed-signatures.ts';

/** The rest of a longer body is not even discarded: the connection ends. */
const MAX_DISCARDED_BYTES = 64 * 1_024;

const isLimited = (error: unknown): boolean => error instanceof AppError && error.code === 'RATE_LIMITED';

export const mountInboundWebhooks = (
  app: FastifyInstance,
  webhooks: readonly InboundWebhook[],
  { runtime, limiter }: { runtime: Runtime; limiter: RateLimiter },
): void => {
  const shared = { runtime, failures: countFailedSignatures(limiter), messages: createLoadShedder(LIMITS.messages) };
  for (const webhook of webhooks) mountInboundWebhook(app, webhook, shared);
};

const targetIn = ({ id }: InboundWebhook, { params }: FastifyRequest) => targetOf(id, params as Record<string, string>);

/** Rejects by the head of the request, before its body is received. Only the body shows whether well-formed headers are right. */
const admitTo =
  (webhook: InboundWebhook, failures: FailedSignatures) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { headers } = request;
    const isLong = !(Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES) || 'transfer-encoding' in headers;
    try {
      if (webhook.signature === 'stripe') readStripeSignature(headers);
      else readSignatureHeaders(headers);
    } catch (error) {
      if (isLong) reply.header('connection', 'close');
      const target = targetIn(webhook, request);
      throw failures.isSuspect(request, target) ? failures.refusal(request, target, reply) : error;
    }
  };

interface Shared {
  runtime: Runtime;
  failures: FailedSignatures;
  /** Inbound webhooks are limited by concurrency instead of a rate: payment systems send in bursts. */
  messages: LoadShedder;
}

/** Bounds the messages whose signatures are being verified, and gives those that were verified the turn of their sender. */
const createAdmission = (messages: LoadShedder) => {
  let unverified = 0;
  return async <T>(reply: FastifyReply, handle: (admit: (owner: string) => Promise<void>) => Promise<T>): Promise<T> => {
    if (unverified >= LIMITS.unverifiedMessages) throw overloaded(reply, 'The server is overloaded');
    let isVerified = false;
    const leaveUnverified = (): void => {
      if (!isVerified) unverified--;
      isVerified = true;
    };
    unverified++;
    try {
      return await handle((owner) => {
        leaveUnverified();
        if (isGone(reply)) throw DISCONNECTED;
        return messages.enter(reply, { owner, max: LIMITS.messages.max });
      });
    } finally {
      leaveUnverified();
      messages.leave(reply.request);
    }
  };
};

const mountInboundWebhook = (app: FastifyInstance, webhook: InboundWebhook, { runtime, failures, messages }: Shared): void => {
  const received = new WeakSet<FastifyRequest>();
  const enter = createAdmission(messages);
  app.register((scope, _options, mounted) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(async (error, request, reply) => {
      // Whose body is too large, too slow or ends early has shown no signature.
      const hasFailed = received.has(request) ? isFailedSignature(error) : !isLimited(error);
      if (!hasFailed) return sendError(error, request, reply);
      const target = targetIn(webhook, request);
      if (received.has(request) && failures.isSuspect(request, target))
        return sendError(failures.refusal(request, target, reply), request, reply);
      await failures.count(request, target, error);
      return sendError(error, request, reply);
    });
    const url = webhook.path.replaceAll(/\{(\w+)\}/g, ':$1');
    scope.post(url, { config: { admit: admitTo(webhook, failures) } }, async (request, reply) => {
      received.add(request);
      const data = await enter(reply, (admit) =>
        webhook.handle({
          ctx: runtime.context({ kind: 'system', name: webhook.id }, request.log),
          params: request.params as Record<string, string>,
          headers: request.headers,
          rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
          isSuspect: failures.isSuspect(request, targetIn(webhook, request)),
          admit,
        }),
      );
      return reply.header('content-type', JSON_TYPE).send(successText(JSON.stringify(data), { requestId: request.id }));
    });
    mounted();
  });
};
