import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import fastify from 'fastify';
import type { Logger } from '../../platform/logger.ts';
import { createDelays } from './delays.ts';
import { createNotifications } from './notifications.ts';
import { createRecipients } from './recipients.ts';
import { createResponses } from './responses.ts';
import type { SandboxSettings } from './settings.ts';
import { createSettlement } from './settlement.ts';
import { openStore } from './store.ts';
import { createSubmission } from './submission.ts';
import { refusalOf, type Transfer, transferOrder } from './transfer.ts';
import { toListedView, toTransferView } from './transfer-view.ts';

/** A payment provider that moves no money, honors idempotency keys, and fails on demand. */
export const createSandboxProvider = (settings: SandboxSettings, log: Logger): FastifyInstance => {
  const store = openStore(settings.SANDBOX_STORE);
  const delays = createDelays();
  const notifications = createNotifications({ settings, store, delays, log });
  const settlement = createSettlement({ settings, store, delays, notifications });
  const recipients = createRecipients(settings.SANDBOX_API_KEY);
  const submit = createSubmission({ settings, store, delays, recipients, settlement });
  const responses = createResponses({ settings, delays });
  const server = fastify({ bodyLimit: 65_536, forceCloseConnections: true, routerOptions: { maxParamLength: 800 } });

  server.addHook('onRequest', async (request, reply) => {
    if (request.url === '/healthz' || isAuthorized(request.headers.authorization, settings.SANDBOX_API_KEY)) return;
    return responses.error(reply, 401, 'unauthorized', 'The API key is missing or wrong');
  });
  // Parser errors may quote the body, which holds addresses: their messages are neither returned nor logged.
  server.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, 'request failed');
    return responses.error(
      reply,
      status,
      status >= 500 ? 'internal_error' : 'invalid_request',
      'The request is invalid or could not be processed',
    );
  });
  server.addHook('onReady', async () => settlement.resume());
  server.addHook('preClose', async () => delays.close());
  server.addHook('onClose', async () => store.close());

  server.get('/healthz', async () => ({ status: 'ok' }));

  server.post('/v1/transfers', async (request, reply) => {
    const key = request.headers['idempotency-key'];
    const order = transferOrder.safeParse(request.body);
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
      return responses.error(reply, 400, 'idempotency_key_missing', 'The Idempotency-Key header is required');
    }
    if (!order.success) {
      const fields = [...new Set(order.error.issues.map((issue) => issue.path.join('.')))].join(', ');
      return responses.error(reply, 422, 'invalid_request', `Malformed: ${fields || 'body'}`);
    }
    const refusal = refusalOf(order.data);
    if (refusal) return responses.error(reply, 422, refusal, 'Such orders are never executed');
    return responses.submitted(reply, await submit(key, order.data));
  });

  server.get('/v1/transfers/by-key/:key', async (request, reply) => {
    const transfer = store.findByKey((request.params as { key: string }).key);
    if (!transfer) return notFound(reply);
    settlement.onRetrieved(transfer);
    return toTransferView(transfer);
  });

  server.get('/v1/transfers', async (request, reply) => {
    const query = request.query as { limit?: string; after?: string; since?: string; until?: string };
    const limit = Math.min(Math.max(Number.parseInt(query.limit ?? '', 10) || 100, 1), 500);
    const after = query.after === undefined ? undefined : store.findById(query.after);
    if (query.after !== undefined && !after) return notFound(reply);
    const page = store.list(limit, after);
    const listed = page.filter(isWithin(query));
    return {
      transfers: listed.map((transfer) => toListedView(transfer, recipients)),
      next: page.length === limit ? page.at(-1)?.id : null,
    };
  });

  const notFound = (reply: FastifyReply) => responses.error(reply, 404, 'transfer_not_found', 'No such transfer');
  return server;
};

/** Half-open. Times that cannot be read are as good as none. */
const isWithin = ({ since = '', until = '' }: { since?: string; until?: string }) => {
  const [from, to] = [Date.parse(since), Date.parse(until)];
  return ({ createdAt }: Transfer): boolean => {
    const at = Date.parse(createdAt);
    return !(at < from) && !(at >= to);
  };
};

const isAuthorized = (header: string | undefined, apiKey: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${apiKey}`));
};
