import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { finishStripeConnect, type StripeConnectOutcome } from '../domains/programs/index.ts';
import { STRIPE_CALLBACK_PATH } from '../platform/stripe/stripe-connect.ts';
import type { Runtime } from '../runtime.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';

const callbackQuery = z.object({ state: z.string().max(200), code: z.string().min(1).max(500).optional() });

const AGAIN = 'Start again with POST /programs/{id}/connect-stripe.';

const PAGES: Readonly<Record<StripeConnectOutcome, { status: 200 | 400 | 500; text: string }>> = {
  connected: { status: 200, text: 'The program is connected to Stripe. You can close this window.' },
  denied: { status: 400, text: 'You did not grant access to the Stripe account. Nothing was changed.' },
  invalid: { status: 400, text: `This link was used before, has expired or was replaced by a newer one. ${AGAIN}` },
  rejected: { status: 400, text: `Stripe rejected the authorization. ${AGAIN}` },
  other_account: { status: 400, text: 'The program is connected to another Stripe account. Disconnect that one first.' },
  unavailable: { status: 500, text: `Stripe did not respond. Nothing was changed. ${AGAIN}` },
};

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
    const query = callbackQuery.safeParse(request.query);
    const ctx = runtime.context({ kind: 'system', name: 'stripeCallback' }, request.log);
    const { state, code } = query.data ?? { state: '' };
    const outcome = await finishStripeConnect(ctx, { state, code: code ?? null });
    request.log.info({ outcome }, 'Stripe connection finished');
    const { status, text } = PAGES[outcome];
    return reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(pageOf(text));
  });
};
