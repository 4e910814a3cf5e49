import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { JSON_TYPE, successText } from '../../platform/http/envelope.ts';
import type { Receiver } from '../../platform/http/receiver.ts';
import type { Runtime } from '../../runtime.ts';

/** Signed receivers are bounded by how many run at once, not by a rate: a payment system may send in bursts. */
const AT_ONCE = 64;

export const mountReceiver = (app: FastifyInstance, receiver: Receiver, runtime: Runtime): void => {
  let atWork = 0;
  app.register((scope, _options, mounted) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(receiver.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (request, reply) => {
      if (atWork >= AT_ONCE) {
        reply.header('retry-after', 1);
        throw new Refusal('RATE_LIMITED', 'The server is busy', { reason: 'OVERLOADED' });
      }
      atWork++;
      try {
        const data = await receiver.handle({
          ctx: runtime.context({ kind: 'system', name: receiver.id }, request.log),
          params: request.params as Record<string, string>,
          headers: request.headers,
          rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        });
        return reply.header('content-type', JSON_TYPE).send(successText(JSON.stringify(data), { requestId: request.id }));
      } finally {
        atWork--;
      }
    });
    mounted();
  });
};
