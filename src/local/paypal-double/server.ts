import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { invariant } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { createDelays } from '../sandbox-provider/delays.ts';
import { createSigner, type Signer } from './certificates.ts';
import { addControlRoutes } from './control.ts';
import type { DoubleAccount } from './model.ts';
import { CERTIFICATE_PATH, createDoubleNotices } from './notices.ts';
import { createDoubleOAuth } from './oauth.ts';
import { createDoublePayouts } from './payouts.ts';
import { balancesView, type SearchQuery, searchTransactions } from './reports.ts';
import type { PayPalDoubleSettings } from './settings.ts';
import { createDoubleSettlement } from './settlement.ts';
import { openDoubleStore } from './store.ts';
import { errorView } from './views.ts';
import { addWebhookRoutes } from './webhooks.ts';

/** Where a token is not needed, as with PayPal, and what PayPal does not have. */
const OPEN = /^\/(healthz$|double\/|v1\/oauth2\/token$|v1\/notifications\/certs\/)/;

/** Behaves like PayPal's sandbox, and moves no money. */
export const createPayPalDouble = async (settings: PayPalDoubleSettings, log: Logger): Promise<FastifyInstance> => {
  const server = fastify({ bodyLimit: 1_048_576, forceCloseConnections: true, routerOptions: { maxParamLength: 300 } });
  const signer = await createSigner();
  const store = openDoubleStore(settings.PAYPAL_DOUBLE_STORE);
  const delays = createDelays();
  const notices = createDoubleNotices({ settings, store, signer, delays, log });
  const settlement = createDoubleSettlement({ settings, store, delays, notices });
  const oauth = createDoubleOAuth(store);
  const accountOf = (request: FastifyRequest): DoubleAccount => {
    const account = oauth.accountOf(request);
    invariant(account, 'the hook has refused others');
    return account;
  };

  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  server.addHook('onRequest', async (request, reply) => {
    if (OPEN.test(request.url.split('?')[0] ?? '') || oauth.accountOf(request)) return;
    return reply.code(401).send({ error: 'invalid_token', error_description: 'The token passed in was not found in the system' });
  });
  // Parser errors may quote the body, which holds addresses.
  server.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const { status, body } = errorView((error.statusCode ?? 400) < 500 ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR');
    return reply.code(status).send(body);
  });
  server.addHook('onReady', async () => settlement.resume());
  server.addHook('preClose', async () => delays.close());
  server.addHook('onClose', async () => store.close());

  server.get('/healthz', async () => ({ status: 'ok' }));
  server.post('/v1/oauth2/token', async (request, reply) => oauth.token(request, reply));
  addCertificateRoutes(server, signer);
  addPayoutRoutes(server, createDoublePayouts({ settings, store, settlement }), accountOf);
  addWebhookRoutes(server, store, accountOf);
  server.get('/v1/reporting/transactions', async (request, reply) => {
    const found = searchTransactions(accountOf(request), request.query as SearchQuery, { store, settings });
    return found ?? reply.code(400).send(errorView('VALIDATION_ERROR').body);
  });
  server.get('/v1/reporting/balances', async (request) => balancesView(accountOf(request)));
  addControlRoutes(server, { store, oauth, settlement });
  return server;
};

const addCertificateRoutes = (server: FastifyInstance, { chainPem, rootPem }: Signer): void => {
  server.get(CERTIFICATE_PATH, (_request, reply) => reply.type('application/x-pem-file').send(chainPem));
  server.get('/double/root.pem', (_request, reply) => reply.type('application/x-pem-file').send(rootPem));
};

const addPayoutRoutes = (
  server: FastifyInstance,
  payouts: ReturnType<typeof createDoublePayouts>,
  accountOf: (request: FastifyRequest) => DoubleAccount,
): void => {
  const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id;
  server.post('/v1/payments/payouts', async (request, reply) => payouts.create(accountOf(request), request, reply));
  server.get('/v1/payments/payouts/:id', async (request, reply) => payouts.readBatch(accountOf(request), idOf(request), reply));
  server.get('/v1/payments/payouts-item/:id', async (request, reply) =>
    payouts.readItem(accountOf(request), idOf(request), reply),
  );
  server.post('/v1/payments/payouts-item/:id/cancel', async (request, reply) =>
    payouts.cancel(accountOf(request), idOf(request), reply),
  );
};
