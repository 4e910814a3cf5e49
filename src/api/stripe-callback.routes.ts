import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STRIPE_CALLBACK_PATH, STRIPE_OAUTH_PATH } from '../domains/programs/index.ts';
import {
  type BrowserPage,
  handleStripeCallback,
  handleStripeDecision,
  handleStripeStart,
} from '../domains/programs/stripe-callback.routes.ts';
import type { Runtime } from '../runtime.ts';
import { PAGE_HEADERS } from './pipeline/security-headers.ts';

/** The address contains the code: it is neither cached nor passed on as a referrer. */
const HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
};
/** With the prefix, no other host of the domain can set it. Browsers require TLS and the path `/` for that. */
const COOKIES = { secure: '__Host-tributary_stripe', plain: 'tributary_stripe' } as const;
const COOKIE_SECONDS = 1_800;
const MAX_FORM_BYTES = 4_096;

const pageOf = (html: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Stripe</title></head><body>${html}</body></html>`;

/** The state with which this browser began; null when it did not. */
const rememberedBy = ({ headers }: FastifyRequest, name: string): string | null =>
  headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? null;

/** For the browser of a merchant who grants access to a Stripe account: to Stripe, back, and the decision. */
export const mountStripeCallback = async (
  app: FastifyInstance,
  runtime: Runtime,
  limit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): Promise<void> => {
  const contextOf = (request: FastifyRequest) => runtime.context({ kind: 'system', name: 'stripeCallback' }, request.log);
  const send = (reply: FastifyReply, { status, html }: BrowserPage): FastifyReply =>
    reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(pageOf(html));
  const isSecure = runtime.settings.publicUrl.startsWith('https:');
  const name = isSecure ? COOKIES.secure : COOKIES.plain;
  const scope = isSecure ? 'Path=/; Secure' : `Path=${STRIPE_OAUTH_PATH}`;

  await app.register((pages, _options, done) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, (_request, body, parsed) =>
      parsed(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );

    pages.get(`${STRIPE_OAUTH_PATH}/start`, { onRequest: limit }, async (request, reply) => {
      const started = await handleStripeStart(contextOf(request), request.query);
      if ('html' in started) return send(reply, started);
      const cookie = `${name}=${started.state}; ${scope}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax`;
      return reply.headers(HEADERS).header('set-cookie', cookie).redirect(started.url, 302);
    });

    pages.get(STRIPE_CALLBACK_PATH, { onRequest: limit }, async (request, reply) =>
      send(reply, await handleStripeCallback(contextOf(request), request.query, rememberedBy(request, name))),
    );

    pages.post(`${STRIPE_OAUTH_PATH}/decision`, { onRequest: limit }, async (request, reply) =>
      send(reply, await handleStripeDecision(contextOf(request), request.body, rememberedBy(request, name))),
    );
    done();
  });
};
