import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { DoubleAccount, DoubleWebhook } from './model.ts';
import type { DoubleStore } from './store.ts';
import { errorView, newId } from './views.ts';

/* PayPal's OpenAPI file `notifications_webhooks_v1.json`. "You can subscribe to at most 10 webhook URLs per app." */

const MAX_WEBHOOKS = 10;
const types = z
  .array(z.object({ name: z.string().max(255) }))
  .min(1)
  .max(500);
const webhookSchema = z.object({ url: z.url().max(2_048), event_types: types });
const patchSchema = z.array(z.object({ op: z.literal('replace'), path: z.literal('/event_types'), value: types })).length(1);

const viewOf = ({ id, url, events }: DoubleWebhook) => ({
  id,
  url,
  event_types: events.map((name) => ({ name, description: name, status: 'ENABLED' })),
  links: [{ href: `https://api.sandbox.paypal.com/v1/notifications/webhooks/${id}`, rel: 'self', method: 'GET' }],
});

export const addWebhookRoutes = (
  server: FastifyInstance,
  store: DoubleStore,
  accountOf: (request: FastifyRequest) => DoubleAccount,
): void => {
  const refuse = (reply: FastifyReply, status: number, name: string) => reply.code(status).send(errorView(name).body);
  const path = '/v1/notifications/webhooks';

  server.get(path, async (request) => ({ webhooks: accountOf(request).webhooks.map(viewOf) }));

  server.post(path, async (request, reply) => {
    const account = accountOf(request);
    const read = webhookSchema.safeParse(request.body);
    if (!read.success) return refuse(reply, 400, 'VALIDATION_ERROR');
    if (account.webhooks.some(({ url }) => url === read.data.url)) return refuse(reply, 400, 'WEBHOOK_URL_ALREADY_EXISTS');
    if (account.webhooks.length >= MAX_WEBHOOKS) return refuse(reply, 400, 'WEBHOOK_NUMBER_LIMIT_EXCEEDED');
    const webhook = { id: newId(17), url: read.data.url, events: read.data.event_types.map(({ name }) => name) };
    store.saveAccount({ ...account, webhooks: [...account.webhooks, webhook] });
    return reply.code(201).send(viewOf(webhook));
  });

  server.patch(`${path}/:id`, async (request, reply) => {
    const account = accountOf(request);
    const { id } = request.params as { id: string };
    const read = patchSchema.safeParse(request.body);
    const known = account.webhooks.find((webhook) => webhook.id === id);
    if (!known) return refuse(reply, 404, 'INVALID_RESOURCE_ID');
    const [patch] = read.success ? read.data : [];
    if (!patch) return refuse(reply, 400, 'VALIDATION_ERROR');
    const changed = { ...known, events: patch.value.map(({ name }) => name) };
    store.saveAccount({ ...account, webhooks: account.webhooks.map((webhook) => (webhook.id === id ? changed : webhook)) });
    return viewOf(changed);
  });
};
