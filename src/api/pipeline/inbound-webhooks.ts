import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readSignatureHeaders } from '../../platform/crypto/standard-webhooks.ts';
import { AppError } from '../../platform/errors.ts';
import { JSON_TYPE, successText } from '../../platform/http/envelope.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import { readStripeSignature } from '../../platform/stripe/verify-stripe-event.ts';
import type { Runtime } from '../../runtime.ts';
import { sendError } from './errors.ts';
import { type FailedSignatures, targetOf } from './failed-signatures.ts';
import type { SignedDoor } from './signed-door.ts';

/** The rest of a longer body is not even discarded: the connection ends. */
const MAX_DISCARDED_BYTES = 64 * 1_024;

const isLimited = (error: unknown): boolean => error instanceof AppError && error.code === 'RATE_LIMITED';

/** Throws for headers that no sender signs with. What providers sign with is known to their rails. */
const readHead = { standard: readSignatureHeaders, stripe: readStripeSignature, own: () => {} } as const;

interface InboundInput {
  runtime: Runtime;
  openDoor(): SignedDoor;
}

export const mountInboundWebhooks = (app: FastifyInstance, webhooks: readonly InboundWebhook[], input: InboundInput): void => {
  for (const webhook of webhooks) mountInboundWebhook(app, webhook, input);
};

const targetIn = ({ id }: InboundWebhook, { params }: FastifyRequest) => targetOf(id, params as Record<string, string>);

/** Rejects by the head of the request, before its body is received. Only the body shows whether well-formed headers are right. */
const admitTo =
  (webhook: InboundWebhook, failures: FailedSignatures) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { headers } = request;
    const isLong = !(Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES) || 'transfer-encoding' in headers;
    try {
      readHead[webhook.signature ?? 'standard'](headers);
    } catch (error) {
      if (isLong) reply.header('connection', 'close');
      const target = targetIn(webhook, request);
      throw failures.refusalOf(reply, target) ?? error;
    }
  };

const mountInboundWebhook = (app: FastifyInstance, webhook: InboundWebhook, { runtime, openDoor }: InboundInput): void => {
  const received = new WeakSet<FastifyRequest>();
  const { failures, enter } = openDoor();
  app.register((scope, _options, mounted) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(async (error, request, reply) => {
      const target = targetIn(webhook, request);
      if (received.has(request)) return sendError(await failures.judge(reply, target, error), request, reply);
      // Whose body is too large, too slow or ends early has shown no signature.
      if (!isLimited(error)) await failures.count(request, target, error);
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
