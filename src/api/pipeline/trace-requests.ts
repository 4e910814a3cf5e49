import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { contextOfTraceParent } from '../../platform/tracing/trace-parent.ts';
import { API_PREFIX } from './operations.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null;
  }
}

const TRACED = [`${API_PREFIX}/`, '/api/integrations/'];

/** One span per request, which continues the caller's trace. Named by the route: a URL may contain names and addresses. */
export const traceRequests = (app: FastifyInstance): void => {
  const tracer = trace.getTracer('tributary');

  const startSpan = (request: FastifyRequest): Span | null => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (!route || !TRACED.some((prefix) => route.startsWith(prefix))) return null;
    const attributes = { 'http.request.method': request.method, 'http.route': route, 'tributary.request_id': request.id };
    const caller = contextOfTraceParent(request.headers['traceparent']);
    return tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, caller);
  };

  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = startSpan(request);
    done();
  });
  // Reading a body ends the context of onRequest.
  app.addHook('preHandler', ({ span }, _reply, done) => {
    if (span) context.with(trace.setSpan(context.active(), span), done);
    else done();
  });
  app.addHook('onResponse', ({ span, caller }, { statusCode }, done) => {
    span?.setAttribute('http.response.status_code', statusCode);
    if (caller && caller.keyType !== 'affiliate') span?.setAttribute('tributary.merchant_id', caller.ownerId);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
};
