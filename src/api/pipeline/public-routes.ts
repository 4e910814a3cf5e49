import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PUBLIC_PER_MINUTE } from '../../contracts/limits.ts';
import type { Context } from '../../platform/context.ts';
import { forbidden } from '../../platform/errors.ts';
import { JSON_TYPE, successText } from '../../platform/http/envelope.ts';
import type { PublicCall, PublicReply, PublicRoute, Visit } from '../../platform/http/public-route.ts';
import { type Check, checkBody, checkParameters, responseWriter } from '../../platform/http/validate.ts';
import { webPageOf } from '../../platform/http/web-page.ts';
import { decideByAddress } from '../../platform/redis/address-limit.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import type { Runtime } from '../../runtime.ts';
import { countedAs } from '../hardening/load-shedding.ts';
import { browserOf, rateLimited } from './caller.ts';
import { routerPath } from './operations.ts';
import { admitSigned, handleSigned, isSignedCall, visitOfVisitor } from './signed-calls.ts';
import type { SignedDoor } from './signed-door.ts';

interface PublicRoutesInput {
  limiter: RateLimiter;
  runtime: Pick<Runtime, 'context'>;
  openDoor(): SignedDoor;
}

/** Browsers ask again after this time; Chrome keeps no permission longer. */
const PREFLIGHT_SECONDS = 7_200;

/** Shorter texts fit into one packet either way. */
const MIN_COMPRESSED_LENGTH = 1_024;
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

const none: Check = () => ({});

interface Routed {
  url: string;
  paramsOf(request: FastifyRequest): unknown;
}

const routedBy = ({ path, takesRest }: PublicRoute): Routed => {
  const url = routerPath(path);
  if (!takesRest) return { url, paramsOf: ({ params }) => params };
  const [, name = ''] = /:(\w+)$/.exec(url) ?? [];
  return { url: url.replace(/:\w+$/, '*'), paramsOf: ({ params }) => ({ [name]: (params as { '*': string })['*'] }) };
};

type ContextOf = (request: FastifyRequest) => Context;

/** Mounts one route outside /api/v1 with its limit, and the preflight of its callers. */
export const mountPublicRoute = (app: FastifyInstance, route: PublicRoute, input: PublicRoutesInput): void => {
  const { url, paramsOf } = routedBy(route);
  const contextOf: ContextOf = (request) => input.runtime.context({ kind: 'system', name: route.id }, request.log);
  const { limiter, openDoor } = input;
  const limit: Limit = async (bucket, request, reply) => {
    const rate = await decideByAddress(limiter, { group: bucket, address: request.address, limit: PUBLIC_PER_MINUTE });
    if (rate.allowed) return;
    reply.header('retry-after', rate.retryAfter);
    throw rateLimited(rate);
  };
  const { loadShedder } = app.hardening;
  const door = openDoor();
  const send = senderOf(route);
  const reply = replierOf(route, { paramsOf, contextOf, door });
  app.route({
    method: route.method,
    url,
    config: { keepsBody: route.signed !== undefined },
    onRequest: (request, reply) =>
      isSignedCall(route, request) ? admitSigned(route, door, reply) : limit(route.limiter, request, reply),
    preHandler: async (request, reply) =>
      isSignedCall(route, request) ? undefined : loadShedder.enter(reply, countedAs(request)),
    handler: async (request, sent) => send(request, sent, await reply(request, sent)),
  });
  mountPreflight(app, route, { url, limit, contextOf });
};

interface ReplierInput extends Pick<Routed, 'paramsOf'> {
  contextOf: ContextOf;
  door: SignedDoor;
}

/** Checks a request and calls the handler of the route. */
const replierOf = (route: PublicRoute, { paramsOf, contextOf, door }: ReplierInput) => {
  const params = route.params ? checkParameters(route.params) : none;
  const query = route.query ? checkParameters(route.query) : none;
  const body = route.body ? checkBody(route.body) : none;
  const { signed } = route;

  /** Null: it is not valid, and the route has a reply for that. */
  const readQuery = (request: FastifyRequest): unknown => {
    try {
      return query(request.query);
    } catch (error) {
      if (!route.unreadable) throw error;
      return null;
    }
  };

  const handle = async (request: FastifyRequest, ctx: Context, isSigned: boolean): Promise<PublicReply> => {
    const given = readQuery(request);
    if (given === null && route.unreadable) return route.unreadable;
    const read = { params: params(paramsOf(request)), query: given, body: body(request.body) };
    const own = visitOf(request);
    const visit = isSigned && signed ? visitOfVisitor(own, signed.visitorOf(read.body)) : own;
    return route.handle({ ctx, visit, isSigned, ...read } as PublicCall<never, never, never>);
  };

  return (request: FastifyRequest, reply: FastifyReply): Promise<PublicReply> => {
    const ctx = contextOf(request);
    if (!signed || !isSignedCall(route, request)) return handle(request, ctx, false);
    return handleSigned(reply, { route: { ...route, signed }, door, ctx, handle: () => handle(request, ctx, true) });
  };
};

const senderOf = (route: PublicRoute) => {
  const { schema } = route.responses[200] ?? {};
  const write = schema ? responseWriter(schema) : JSON.stringify;
  return (request: FastifyRequest, reply: FastifyReply, result: PublicReply): FastifyReply => {
    allowOrigin(route, request, reply);
    reply.header('cache-control', route.cache);
    if (result.kind === 'redirect') return reply.redirect(result.url, 302);
    if (result.kind === 'json') return sendJson(request, reply, write(result.data));
    return sendText(request, reply, result);
  };
};

type Limit = (bucket: string, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

interface PreflightInput {
  url: string;
  limit: Limit;
  contextOf: ContextOf;
}

const mountPreflight = (app: FastifyInstance, route: PublicRoute, { url, limit, contextOf }: PreflightInput): void => {
  const { cors } = route;
  if (cors === 'none' || cors === 'any') return;
  app.route({
    method: 'OPTIONS',
    url,
    onRequest: (request, reply) => limit('preflight', request, reply),
    handler: async (request, reply) => {
      const { host } = visitOf(request);
      const allowed = request.headers.origin !== undefined && host !== null && (await cors.allows(contextOf(request), host));
      if (!allowed) throw forbidden('The origin is not the website of an active program');
      allowOrigin(route, request, reply);
      return reply
        .headers({
          'access-control-allow-methods': route.method,
          'access-control-allow-headers': 'content-type',
          'access-control-max-age': PREFLIGHT_SECONDS,
        })
        .code(204)
        .send();
    },
  });
};

/** Only for responses that the origin may read: the handler or the preflight has checked it. */
const allowOrigin = ({ cors }: PublicRoute, request: FastifyRequest, reply: FastifyReply): void => {
  if (cors === 'none') return;
  if (cors === 'any') {
    reply.headers({ 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });
    return;
  }
  reply.header('vary', 'Origin');
  if (request.headers.origin !== undefined) reply.header('access-control-allow-origin', request.headers.origin);
};

const sendJson = (request: FastifyRequest, reply: FastifyReply, data: string): FastifyReply =>
  reply.header('content-type', JSON_TYPE).send(successText(data, { requestId: request.id }));

const sendText = (
  request: FastifyRequest,
  reply: FastifyReply,
  { status, contentType, text, etag }: Extract<PublicReply, { kind: 'text' }>,
): FastifyReply => {
  reply.headers({ 'content-type': contentType, vary: 'Accept-Encoding' });
  if (etag !== undefined) reply.header('etag', etag);
  if (etag !== undefined && request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.code(status);
  if (text.length < MIN_COMPRESSED_LENGTH || !ACCEPTS_GZIP.test(String(request.headers['accept-encoding'])))
    return reply.send(text);
  return reply.header('content-encoding', 'gzip').send(gzipSync(text));
};

const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;
const PREFETCH = /prefetch|prerender|preview/i;

/** The host of a web page's address; null for anything else, such as the origin `null` of a sandboxed page. */
const hostOf = (page: string): string | null => webPageOf(page)?.hostname ?? null;

/** An `Origin` decides alone: a `Referer` beside it may be that of another page. */
const visitOf = (request: FastifyRequest): Visit => {
  const { headers, method, raw } = request;
  const { origin, referer } = headers;
  const page = origin ?? referer;
  const [, query = ''] = (raw.url ?? '').split(/\?(.*)/s);
  return {
    ...browserOf(request),
    method,
    host: page === undefined ? null : hostOf(page),
    referer: referer ?? null,
    isFromPage: headers['sec-fetch-site'] !== undefined,
    isPrefetch: PREFETCH_HEADERS.some((name) => PREFETCH.test(String(headers[name] ?? ''))),
    query,
  };
};
