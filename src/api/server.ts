import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { AffiliateSessions, ApiKeyCache } from '../domains/auth/index.ts';
import type { Actor, Origin } from '../platform/context.ts';
import { addressBucket } from '../platform/http/address-bucket.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';
import type { Runtime } from '../runtime.ts';
import { mountCsvDownloads } from './csv-downloads.ts';
import { limitDocs, mountDocs } from './docs.routes.ts';
import { type FilesInput, mountFiles } from './files.routes.ts';
import { hardening } from './hardening/hardening.ts';
import { SERVER_LIMITS } from './hardening/limits.ts';
import { isDropped } from './hardening/load-shedding.ts';
import { mountHealth } from './health.routes.ts';
import { mountLogos } from './logos.routes.ts';
import { createHttpMetrics } from './metrics.ts';
import type { Mount } from './mount.ts';
import { authorize } from './pipeline/authorize.ts';
import { identify, rejectionOf } from './pipeline/caller.ts';
import { handleClientError } from './pipeline/client-errors.ts';
import { routeNotFound, sendError } from './pipeline/errors.ts';
import { installGracefulShutdown } from './pipeline/graceful-shutdown.ts';
import { mountInboundWebhooks } from './pipeline/inbound-webhooks.ts';
import { parseJsonOnly } from './pipeline/json-body.ts';
import { logRequest } from './pipeline/log-request.ts';
import { API_PREFIX, mountOperation } from './pipeline/operations.ts';
import { mountPublicRoute } from './pipeline/public-routes.ts';
import { assertUnambiguous } from './pipeline/request-head.ts';
import { SECURITY_HEADERS, securityHeadersOf } from './pipeline/security-headers.ts';
import { signedDoors } from './pipeline/signed-door.ts';
import { traceRequests } from './pipeline/trace-requests.ts';
import { visitedUrl } from './pipeline/visited-url.ts';
import { mountRemittances } from './remittance.routes.ts';
import { inboundWebhooksOf, OPERATIONS, PUBLIC_ROUTES } from './routes.ts';
import { mountStripeCallback } from './stripe-callback.routes.ts';
import { mountUnsubscribe } from './unsubscribe.routes.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

export interface Api {
  app: FastifyInstance;
  keys: ApiKeyCache;
}

const requestIdOf = (given: unknown): string =>
  typeof given === 'string' && REQUEST_ID.test(given) ? given : `req_${randomUUID()}`;

/** Assembles the HTTP process, in the order in which a request passes through it. `mounts` add routes, such as pages. */
export const buildApi = async (
  runtime: Runtime,
  limiter: RateLimiter,
  config: Config,
  mounts: readonly Mount[] = [],
): Promise<Api> => {
  const keys = new ApiKeyCache(runtime.orm, runtime.log);
  const metrics = createHttpMetrics(runtime.metrics.registry, limiter);
  const onClientError = handleClientError(limiter, runtime.ids);
  const app = Fastify({
    loggerInstance: runtime.log,
    logController: new LogController({ disableRequestLogging: true }),
    ...SERVER_LIMITS,
    trustProxy: config.TRUST_PROXY > 0 ? (_address, hop) => hop < config.TRUST_PROXY : false,
    return503OnClosing: false,
    // A missing Host header gets an error response like any other.
    http: { ...SERVER_LIMITS.http, requireHostHeader: false },
    clientErrorHandler: onClientError,
    rewriteUrl: ({ url = '/' }) => visitedUrl(url),
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
    frameworkErrors: (error, request, reply) => {
      if (isDropped(reply)) return;
      void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
      request.caller = null;
      request.address = addressBucket(request.ip);
      identifyCaller(request, reply).then(
        () => sendError(error, request, reply),
        (rejection: unknown) => sendError(rejection, request, reply),
      );
    },
  });
  const identifyCaller = identify(keys, limiter, new AffiliateSessions(runtime));

  app
    .decorateRequest('caller', null)
    .decorateRequest('keyRejection', 'missing')
    .decorateRequest('address', '')
    .decorateRequest('bodyBytes', null);
  // A GET with a body is answered like any operation that takes none: the body has to be read for that.
  for (const method of ['GET', 'HEAD']) app.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  parseJsonOnly(app);
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT) traceRequests(app);

  const headersOf = securityHeadersOf(config.PUBLIC_URL);
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.address = addressBucket(request.ip);
    reply.headers(headersOf(request.hostname)).header('x-request-id', request.id);
    if (isCounted(request)) await identifyCaller(request, reply);
    if (request.is404) routeNotFound(request);
    assertUnambiguous(request);
    const { operation, admit: admitToRoute } = request.routeOptions.config;
    if (operation) authorize(operation.access, request.caller, rejectionOf(request));
    await admitToRoute?.(request, reply);
  };
  await app.register(hardening, { admit, isCounted });
  app.addHook('onResponse', async (request, reply) => {
    metrics.observe(request, reply);
    logRequest(request, reply);
  });
  app.server.on('connect', (_request, socket) => onClientError(new Error('CONNECT is not supported'), socket as Socket));
  app.server.on('checkExpectation', (request, reply) => app.server.emit('request', request, reply));
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(routeNotFound);

  for (const operation of OPERATIONS)
    mountOperation(app, operation, (request) => runtime.context(actorOf(request), request.log, originOf(request)));
  const webhooks = inboundWebhooksOf({ ...runtime, observeStripeEvent: metrics.observeStripeEvent });
  const openDoor = signedDoors(limiter);
  mountInboundWebhooks(app, webhooks, { runtime, openDoor });
  for (const route of PUBLIC_ROUTES) mountPublicRoute(app, route, { runtime, limiter, openDoor });
  mountHealth(app, { runtime, shutdown: installGracefulShutdown(app) });
  // Before the pages: what a mount adds to every request holds for them too.
  for (const mount of mounts) await mount(app, { runtime, limiter, config });
  await mountPages(app, { runtime, limit: limitDocs(limiter) });
  return { app, keys };
};

/** What is not below /api/v1 and shares the limit of pages. */
const mountPages = async (app: FastifyInstance, input: FilesInput & { runtime: Runtime }): Promise<void> => {
  await mountStripeCallback(app, input.runtime, input.limit);
  await mountUnsubscribe(app, input.runtime, input.limit);
  await mountFiles(app, input);
  mountCsvDownloads(app, input);
  mountRemittances(app, input);
  mountLogos(app, input);
  await mountDocs(app, input.limit);
};

const actorOf = ({ caller }: FastifyRequest): Actor => {
  if (!caller) return { kind: 'anonymous' };
  const { keyId, keyType, ownerId, scopes } = caller;
  return { kind: 'key', keyId, keyType, ownerId, scopes: [...scopes] };
};

/** Persons are not traced by their address, nor by what their client calls a request. */
const originOf = ({ caller, address, id }: FastifyRequest): Origin | undefined =>
  caller?.keyType === 'affiliate' ? undefined : { address, requestId: id };

/** Decided by the matched route: a URL has many spellings (escapes, absolute form), a route has one. */
const isCounted = (request: FastifyRequest): boolean => request.is404 || (request.routeOptions.url ?? '').startsWith(API_PREFIX);
