import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { MAX_BODY_BYTES } from '../contracts/limits.ts';
import { KeyRing } from '../domains/auth/index.ts';
import { Refusal } from '../platform/errors.ts';
import { oddityOf } from '../platform/http/json.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';
import type { Runtime } from '../runtime.ts';
import { mountDocs } from './docs.routes.ts';
import { mountHealth } from './health.routes.ts';
import { createMetrics } from './metrics.ts';
import { answerBroken } from './plugins/broken-requests.ts';
import { authorize, identify } from './plugins/caller.ts';
import { answerError, badRequest, unknownPath } from './plugins/errors.ts';
import { loadGate } from './plugins/load-gate.ts';
import { API_PREFIX, mountOperation } from './plugins/operations.ts';
import { mountReceiver } from './plugins/receivers.ts';
import { SECURITY_HEADERS } from './plugins/security-headers.ts';
import { OPERATIONS, receiversOf } from './routes.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;

export interface Api {
  app: FastifyInstance;
  keys: KeyRing;
}

/** The HTTP process, assembled in the order in which a request passes. */
export const buildApi = async (runtime: Runtime, limiter: RateLimiter, config: Config): Promise<Api> => {
  const keys = new KeyRing(runtime.orm, runtime.log);
  const metrics = createMetrics(limiter);
  const app = Fastify({
    loggerInstance: runtime.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: config.TRUST_PROXY > 0 ? (_address, hop) => hop < config.TRUST_PROXY : false,
    requestTimeout: 20_000,
    keepAliveTimeout: 65_000,
    routerOptions: { maxParamLength: 256 },
    return503OnClosing: false,
    // A request without Host reaches the table of errors instead of an empty answer; a slow one is cut off in time.
    http: { requireHostHeader: false, connectionsCheckingInterval: 5_000 },
    clientErrorHandler: answerBroken(limiter, runtime.ids),
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : `req_${randomUUID()}`;
    },
    frameworkErrors: (error, request, reply) => {
      void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
      request.caller = null;
      identifyCaller(request, reply).then(
        () => answerError(error, request, reply),
        (refused: unknown) => answerError(refused, request, reply),
      );
    },
  });
  const identifyCaller = identify(keys, limiter);
  const gate = loadGate();

  app.decorateRequest('caller', null);
  parseJsonOnly(app);

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
    if (!isCounted(request)) return;
    await identifyCaller(request, reply);
    if (request.is404) unknownPath();
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) throw badRequest('Host header', 'is missing');
    gate.enter(request, reply);
    const { operation } = request.routeOptions.config;
    if (operation) authorize(operation.access, request.caller);
  });
  app.addHook('onResponse', async (request, reply) => {
    gate.leave(request);
    metrics.observe(request, reply);
    request.log.info(
      {
        method: request.method,
        // The pattern, not the URL: queries may hold names and addresses.
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        keyId: request.caller?.keyId,
      },
      'request',
    );
  });
  app.server.on('checkExpectation', (request, reply) => app.server.emit('request', request, reply));
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(unknownPath);

  const contextOf = (request: FastifyRequest) => {
    const { caller } = request;
    if (!caller) return runtime.context({ kind: 'system', name: 'anonymous' }, request.log);
    return runtime.context(
      { kind: 'key', keyId: caller.keyId, keyType: caller.keyType, ownerId: caller.ownerId, scopes: [...caller.scopes] },
      request.log,
    );
  };
  for (const operation of OPERATIONS) mountOperation(app, operation, contextOf);
  for (const receiver of receiversOf(runtime)) mountReceiver(app, receiver, runtime);
  mountHealth(app, runtime, metrics);
  await mountDocs(app);
  return { app, keys };
};

/** By the matched route, never by the URL's text: that has many spellings (escapes, absolute form), a route has one. */
const isCounted = (request: FastifyRequest): boolean => request.is404 || (request.routeOptions.url ?? '').startsWith(API_PREFIX);

const ODDITIES = {
  invalid_json: 'is not valid JSON',
  repeated_name: 'names a field twice',
  too_deep: 'is nested too deep',
} as const;

/** An empty body with a JSON content type is an empty object, on every method: published clients send that. */
const parseJsonOnly = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, {});
    parse(request, text as string, (error, value) => {
      const code = error ? 'invalid_json' : oddityOf(text as string);
      if (code) {
        const issues = [{ path: 'body', code, message: ODDITIES[code] }];
        return done(new Refusal('BAD_REQUEST', 'The body is not usable JSON', { issues }));
      }
      done(null, value);
    });
  });
};
