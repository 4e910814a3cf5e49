import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { handleStripeCallback } from '../domains/programs/stripe-callback.routes.ts';
import { STRIPE_CALLBACK_PATH } from '../platform/stripe/stripe-connect.ts';
import type { Runtime } from '../runtime.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';

/** The address contains the code: it is neither cached nor passed on as a referrer. */
const HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const pageOf = (text: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stripe</title></head><body><p>${text}</p></body></html>`;

/** Where Stripe sends the browser of a merchant who granted or denied access. */
export const mountStripeCallback = (
  app: FastifyInstance,
  runtime: Runtime,
  limit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void => {
  app.get(STRIPE_CALLBACK_PATH, async (request, reply) => {
    await limit(request, reply);
    const ctx = runtime.context({ kind: 'system', name: 'stripeCallback' }, request.log);
    const { status, text } = await handleStripeCallback(ctx, request.query);
    return reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(pageOf(text));
  });
};
