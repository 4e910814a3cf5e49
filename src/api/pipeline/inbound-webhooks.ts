import type { FastifyInstance } from 'fastify';
import { JSON_TYPE, successText } from '../../platform/http/envelope.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import type { Runtime } from '../../runtime.ts';
import { overloaded } from '../hardening/load-shedding.ts';

/** Inbound webhooks are limited by concurrency instead of a rate: payment systems send in bursts. */
const MAX_CONCURRENT = 64;

export const mountInboundWebhook = (app: FastifyInstance, webhook: InboundWebhook, runtime: Runtime): void => {
  let inFlight = 0;
  app.register((scope, _options, mounted) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(webhook.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (request, reply) => {
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
      } finally {
        inFlight--;
      }
    });
    mounted();
  });
};
