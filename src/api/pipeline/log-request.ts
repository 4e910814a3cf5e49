import type { FastifyReply, FastifyRequest } from 'fastify';

/** Who made the request, for log lines. Affiliate keys belong to a profile, not to a merchant. */
export const callerFields = ({ caller }: FastifyRequest): Record<string, string> => {
  if (!caller) return {};
  const owner = caller.keyType === 'affiliate' ? 'profileId' : 'merchantId';
  return { keyId: caller.keyId, [owner]: caller.ownerId };
};

/** Probes arrive every few seconds. A client that disconnected got no response, whatever the status says. */
const levelOf = (request: FastifyRequest, reply: FastifyReply): 'debug' | 'info' =>
  request.routeOptions.url?.startsWith('/health/') || !reply.raw.writableFinished ? 'debug' : 'info';

/** One line per request, with the route pattern instead of the URL: queries may contain names and addresses. */
export const logRequest = (request: FastifyRequest, reply: FastifyReply): void =>
  request.log[levelOf(request, reply)](
    {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...callerFields(request),
      ...(reply.raw.writableFinished ? {} : { aborted: true }),
    },
    'request',
  );
