import type { FastifyInstance } from 'fastify';
import { JSON_TYPE, successText } from '../../platform/http/envelope.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import type { Runtime } from '../../runtime.ts';
import { overloaded } from './load-shedding.ts';

/** Signed receivers are bounded by how many run at once, not by a rate: a payment system may send in bursts. */
const MAX_CONCURRENT = 64;

export const mountInboundWebhook = (app: FastifyInstance, receiver: InboundWebhook, runtime: Runtime): void => {
  let inFlight = 0;
  app.register((scope, _options, mounted) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(receiver.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (request, reply) => {
      if (inFlight >= MAX_CONCURRENT) {
        throw overloaded(reply, 'The server is overloaded');
      }
      inFlight++;
      try {
        const data = await receiver.handle({
          ctx: runtime.context({ kind: 'system', name: receiver.id }, request.log),
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
