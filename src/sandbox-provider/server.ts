import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import fastify from 'fastify';
import type { Logger } from '../platform/logger.ts';
import { createDelays } from './delays.ts';
import { createNotifications } from './notifications.ts';
import { createResponses } from './responses.ts';
import type { SandboxSettings } from './settings.ts';
import { createSettlement } from './settlement.ts';
import { openStore } from './store.ts';
import { createSubmission } from './submission.ts';
import { toTransferView, transferOrder } from './transfer.ts';

/** A payment provider that moves no money, keeps its promises about keys, and fails on command. */
export const createSandboxProvider = (settings: SandboxSettings, log: Logger): FastifyInstance => {
  const store = openStore(settings.SANDBOX_STORE);
  const delays = createDelays();
  const notifications = createNotifications({ settings, store, delays, log });
  const settlement = createSettlement({ settings, store, delays, notifications });
  const submit = createSubmission({ settings, store, delays, settlement });
  const reply = createResponses({ settings, delays });
  const server = fastify({ bodyLimit: 65_536, forceCloseConnections: true, routerOptions: { maxParamLength: 800 } });

  server.addHook('onRequest', async (request, answer) => {
    if (request.url === '/healthz' || isAuthorized(request.headers.authorization, settings.SANDBOX_API_KEY)) return;
    return reply.refuse(answer, 401, 'unauthorized', 'The API key is missing or wrong');
  });
  // Errors of the parser may quote the body, which holds addresses: none of their words leave or are logged.
  server.setErrorHandler((error: { statusCode?: number }, _request, answer) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, 'a request failed');
    return reply.refuse(answer, status, status >= 500 ? 'internal_error' : 'invalid_request', 'The request cannot be handled');
  });
  server.addHook('onReady', async () => settlement.resume());
  server.addHook('preClose', async () => delays.close());
  server.addHook('onClose', async () => store.close());

  server.get('/healthz', async () => ({ status: 'ok' }));

  server.post('/v1/transfers', async (request, answer) => {
    const key = request.headers['idempotency-key'];
    const order = transferOrder.safeParse(request.body);
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      return reply.refuse(answer, 400, 'idempotency_key_missing', 'A transfer needs the header Idempotency-Key');
    }
    if (!order.success) {
      const fields = [...new Set(order.error.issues.map((issue) => issue.path.join('.')))].join(', ');
      return reply.refuse(answer, 422, 'invalid_request', `Not in shape: ${fields || 'body'}`);
    }
    return reply.submitted(answer, await submit(key, order.data));
  });

  server.get('/v1/transfers/by-key/:key', async (request, answer) => {
    const transfer = store.findByKey((request.params as { key: string }).key);
    if (!transfer) return notReceived(answer);
    settlement.asked(transfer);
    return toTransferView(transfer);
  });

  server.get('/v1/transfers', async (request, answer) => {
    const query = request.query as { limit?: string; after?: string };
    const limit = Math.min(Math.max(Number.parseInt(query.limit ?? '', 10) || 100, 1), 500);
    const after = query.after === undefined ? undefined : store.findById(query.after);
    if (query.after !== undefined && !after) return notReceived(answer);
    const page = store.list(limit, after);
    return { transfers: page.map(toTransferView), next: page.length === limit ? page.at(-1)?.id : null };
  });

  const notReceived = (answer: FastifyReply) =>
    reply.refuse(answer, 404, 'transfer_not_found', 'No such transfer was ever received');
  return server;
};

const isAuthorized = (header: string | undefined, apiKey: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${apiKey}`));
};
