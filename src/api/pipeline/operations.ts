import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { JSON_TYPE } from '../../platform/http/envelope.ts';
import type { Operation } from '../../platform/http/operation.ts';
import type { StoredResponse } from '../../platform/idempotency/idempotency.ts';
import { isWrite, prepareOperation } from './prepare-operation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
    /** The body is a file that is received as a stream, within limits of its own. */
    isTransfer?: boolean;
    /** Rejects a request by its head, before its body is received. */
    admit?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  }
}

export const API_PREFIX = '/api/v1';

/** `{id}` of OpenAPI is `:id` of the router. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** HTTP over an operation. Its access rule is checked on arrival, before the body is received. */
export const mountOperation = (app: FastifyInstance, op: Operation, contextOf: (request: FastifyRequest) => Context): void => {
  const run = prepareOperation(op);

  const respond = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { params, query, body, caller, id: requestId } = request;
    const sent = { params, query, body, idempotencyKey: idempotencyKeyOf(request) };
    const by = { context: () => contextOf(request), callerId: caller?.keyId ?? null, requestId };
    const response = await run(sent, by);
    if (response.isReplayed) reply.header('idempotency-replayed', 'true');
    if (isWrite(op)) passFaultPoints(reply, response);
    return reply.code(response.status).header('content-type', JSON_TYPE).send(response.body);
  };

  app.route({
    method: op.method,
    url: API_PREFIX + routerPath(op.path),
    // A HEAD shows nothing that could be recorded.
    exposeHeadRoute: !op.audited,
    config: { operation: op },
    handler: respond,
  });
};

const idempotencyKeyOf = ({ headers }: FastifyRequest): string | undefined => {
  const header = headers['idempotency-key'];
  return Array.isArray(header) ? header.join(',') : header;
};

/** After the commit, the caller may receive no response, or half of it. */
const passFaultPoints = (reply: FastifyReply, { status, body }: StoredResponse): void => {
  faultPoint('api:after-commit');
  faultPoint('api:during-reply', () => {
    reply.raw.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
    reply.raw.write(body.slice(0, body.length / 2));
  });
};
