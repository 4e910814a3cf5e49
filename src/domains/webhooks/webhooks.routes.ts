import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import type { EventCatalog } from '../../platform/event-definition.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { URL_RULES } from '../../platform/outbound/url-rules.ts';
import { validateUrl } from '../../platform/outbound/validate-url.ts';
import { getWebhookEndpointHealth } from './endpoint-health.queries.ts';
import { endpointSettingsSchema, toEndpointSettings, updateEndpointSettingsBody } from './endpoint-settings.wire.ts';
import { createWebhookEndpoint } from './use-cases/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from './use-cases/delete-webhook-endpoint.ts';
import { disableWebhookEndpoint } from './use-cases/disable-webhook-endpoint.ts';
import { enableWebhookEndpoint } from './use-cases/enable-webhook-endpoint.ts';
import { revokeOldWebhookEndpointSecrets } from './use-cases/revoke-old-webhook-endpoint-secrets.ts';
import { rotateWebhookEndpointSecret } from './use-cases/rotate-webhook-endpoint-secret.ts';
import { testWebhookEndpoint } from './use-cases/test-webhook-endpoint.ts';
import { updateWebhookEndpoint } from './use-cases/update-webhook-endpoint.ts';
import { updateWebhookEndpointSettings } from './use-cases/update-webhook-endpoint-settings.ts';
import { getWebhookDelivery } from './webhook-deliveries.queries.ts';
import { getWebhookEndpoint, getWebhookEndpointSettings, listWebhookEndpoints } from './webhook-endpoints.queries.ts';
import * as examples from './webhooks.examples.ts';
import * as wire from './webhooks.wire.ts';

/** Performs a DNS lookup, so call it outside of transactions. The error names the rule but no resolved address. */
const assertUrl = async (ctx: Context, url: string | undefined): Promise<void> => {
  const violated = url === undefined ? null : await validateUrl(ctx.settings.outbound, url);
  if (violated) throw invalidField('url', URL_RULES[violated], violated);
};

const reads = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:read' } } as const;
const writes = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:write' } } as const;
const readsOne = { ...reads, params: idParams } as const;
const writesOne = { ...writes, params: idParams } as const;

const showsSecret = { reply: wire.secretSchema, secret: true } as const;

/** `events` supplies the examples that test deliveries send. */
export const webhookRoutes = (events: EventCatalog): Operation[] => [
  ...endpointRoutes,
  ...settingsRoutes,
  ...actionRoutes(events),
];

const endpointRoutes: Operation[] = [
  operation({
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: '/webhooks',
    ...reads,
    summary: 'List webhook endpoints',
    query: wire.listEndpointsQuery,
    reply: z.array(wire.endpointSchema),
    example: { data: [examples.endpointExample] },
    handle: ({ ctx, query }) => listWebhookEndpoints(ctx, query),
  }),
  operation({
    id: 'createWebhookEndpoint',
    method: 'POST',
    path: '/webhooks',
    ...writes,
    summary: 'Create a webhook endpoint',
    body: wire.createEndpointBody,
    ...showsSecret,
    status: 201,
    errors: ['NOT_FOUND'],
    reasons: ['TOO_MANY_ENDPOINTS'],
    example: { data: examples.secretExample, body: examples.createEndpointExample },
    prepare: ({ ctx, body }) => assertUrl(ctx, body.url),
    handle: async ({ ctx, body }) => wire.toSecret(await createWebhookEndpoint(ctx, body)),
  }),
  operation({
    id: 'getWebhookEndpoint',
    method: 'GET',
    path: '/webhooks/{id}',
    ...readsOne,
    summary: 'Retrieve a webhook endpoint',
    reply: wire.endpointSchema,
    example: { data: examples.endpointExample },
    handle: ({ ctx, params }) => getWebhookEndpoint(ctx, params.id),
  }),
  operation({
    id: 'getWebhookEndpointHealth',
    method: 'GET',
    path: '/webhooks/{id}/health',
    ...readsOne,
    summary: 'Retrieve the health of an endpoint',
    reply: wire.endpointHealthSchema,
    example: { data: examples.endpointHealthExample },
    handle: ({ ctx, params }) => getWebhookEndpointHealth(ctx, params.id),
  }),
  operation({
    id: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: '/webhooks/{id}',
    ...writesOne,
    summary: 'Update a webhook endpoint',
    body: wire.updateEndpointBody,
    reply: wire.endpointSchema,
    example: { data: { ...examples.endpointExample, name: 'Billing service' }, body: { name: 'Billing service' } },
    prepare: ({ ctx, body }) => assertUrl(ctx, body.url),
    handle: async ({ ctx, params, body }) => wire.toEndpoint(await updateWebhookEndpoint(ctx, { ...body, id: params.id })),
  }),
  operation({
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/webhooks/{id}',
    ...writesOne,
    summary: 'Delete a webhook endpoint and keep its delivery history',
    reply: wire.successSchema,
    example: { data: { success: true } },
    handle: ({ ctx, params }) => deleteWebhookEndpoint(ctx, params).then(() => ({ success: true as const })),
  }),
];

const settingsRoutes: Operation[] = [
  operation({
    id: 'getWebhookEndpointSettings',
    method: 'GET',
    path: '/webhooks/{id}/settings',
    ...writesOne,
    summary: 'Retrieve the delivery settings of an endpoint',
    reply: endpointSettingsSchema,
    example: { data: examples.endpointSettingsExample },
    handle: ({ ctx, params }) => getWebhookEndpointSettings(ctx, params.id),
  }),
  operation({
    id: 'updateWebhookEndpointSettings',
    method: 'PATCH',
    path: '/webhooks/{id}/settings',
    ...writesOne,
    summary: 'Update the delivery settings of an endpoint',
    body: updateEndpointSettingsBody,
    reply: endpointSettingsSchema,
    reasons: ['TOO_MANY_HEADERS'],
    example: { data: examples.endpointSettingsExample, body: examples.updateEndpointSettingsExample },
    handle: async ({ ctx, params, body }) => {
      const { endpoint, headers } = await updateWebhookEndpointSettings(ctx, { ...body, id: params.id });
      return toEndpointSettings(endpoint, headers);
    },
  }),
];

const actionRoutes = (events: EventCatalog): Operation[] => [
  operation({
    id: 'rotateWebhookEndpointSecret',
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    ...writesOne,
    summary: 'Rotate the signing secret',
    ...showsSecret,
    example: { data: examples.secretExample },
    handle: async ({ ctx, params }) => wire.toSecret(await rotateWebhookEndpointSecret(ctx, params)),
  }),
  operation({
    id: 'revokeOldWebhookEndpointSecrets',
    method: 'POST',
    path: '/webhooks/{id}/revoke-old-secrets',
    ...writesOne,
    summary: 'Revoke all signing secrets but the current one',
    reply: wire.endpointSchema,
    example: { data: examples.endpointExample },
    handle: async ({ ctx, params }) => wire.toEndpoint(await revokeOldWebhookEndpointSecrets(ctx, params)),
  }),
  operation({
    id: 'enableWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/enable',
    ...writesOne,
    summary: 'Enable an endpoint and resume paused deliveries',
    reply: wire.endpointSchema,
    example: { data: examples.endpointExample },
    handle: async ({ ctx, params }) => wire.toEndpoint(await enableWebhookEndpoint(ctx, params)),
  }),
  operation({
    id: 'disableWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/disable',
    ...writesOne,
    summary: 'Disable an endpoint and pause its deliveries',
    reply: wire.endpointSchema,
    example: { data: examples.disabledEndpointExample },
    handle: async ({ ctx, params }) => wire.toEndpoint(await disableWebhookEndpoint(ctx, params)),
  }),
  operation({
    id: 'testWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/test',
    ...writesOne,
    summary: 'Send a test event to an endpoint',
    body: wire.testEndpointBody,
    reply: wire.deliveryDetailSchema,
    reasons: ['ENDPOINT_DISABLED'],
    example: { data: examples.testDeliveryExample, body: { type: 'payout.completed' } },
    handle: async ({ ctx, params, body }) =>
      getWebhookDelivery(ctx, await testWebhookEndpoint(ctx, { ...body, id: params.id, events })),
  }),
];
