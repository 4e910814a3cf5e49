import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ObserveStripeEvent } from '../domains/conversions/stripe/stripe.routes.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';

export interface HttpMetrics {
  observe(request: FastifyRequest, reply: FastifyReply): void;
  observeStripeEvent: ObserveStripeEvent;
}

/** Labels are route patterns and status codes only: their number is bounded by the operation table. */
export const createHttpMetrics = (registry: Registry, limiter: RateLimiter): HttpMetrics => {
  const requests = new Counter({
    name: 'tributary_http_requests_total',
    help: 'Responses by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'tributary_http_request_seconds',
    help: 'Response time by route',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  new Counter({
    name: 'tributary_rate_limit_fallback_total',
    help: 'Rate limit decisions made without Redis',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(limiter.fallbackCount());
    },
  });
  const stripeEvents = new Counter({
    name: 'tributary_stripe_events_total',
    help: 'Verified events of Stripe by type and outcome; "other" are types that are not used',
    labelNames: ['type', 'outcome'],
    registers: [registry],
  });
  // Cached under one string: building and hashing labels for each request takes longer than counting.
  const series = new Map<string, { responses: Counter.Internal; durations: Histogram.Internal<'method' | 'route'> }>();
  return {
    observeStripeEvent: (labels) => stripeEvents.inc(labels),
    observe(request, reply) {
      const { method } = request;
      const route = request.routeOptions.url ?? 'unknown';
      const name = `${method} ${reply.statusCode} ${route}`;
      let entry = series.get(name);
      if (!entry) {
        const status = reply.statusCode;
        entry = { responses: requests.labels({ method, route, status }), durations: seconds.labels({ method, route }) };
        series.set(name, entry);
      }
      entry.responses.inc();
      entry.durations.observe(reply.elapsedTime / 1000);
    },
  };
};
