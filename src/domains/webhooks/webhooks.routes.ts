import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import type { EventCatalog } from '../../platform/event-definition.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { URL_RULES } from '../../platform/outbound/url-rules.ts';
import { validateUrl } from '../../platform/outbound/validate-url.ts';
import { getWebhookDelivery } from './deliveries/webhook-deliveries.queries.ts';
import { getWebhookEndpointHealth } from './endpoints/endpoint-health.queries.ts';
import {
  endpointSettingsSchema,
  toEndpointSettings,
  updateEndpointBody,
  updateEndpointSettingsBody,
} from './endpoints/endpoint-settings.wire.ts';
import { getWebhookEndpoint, getWebhookEndpointSettings, listWebhookEndpoints } from './endpoints/webhook-endpoints.queries.ts';
import { testWebhookEndpoint } from './use-cases/test-webhook-endpoint.ts';
import { updateWebhookEndpointSettings } from './use-cases/update-webhook-endpoint-settings.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  updateWebhookEndpoint,
} from './use-cases/webhook-endpoint.ts';
import { revokeOldWebhookEndpointSecrets, rotateWebhookEndpointSecret } from './use-cases/webhook-endpoint-secret.ts';
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
export const webhookRoutes = (events: EventCatalog) => [...endpointRoutes, ...settingsRoutes, ...actionRoutes(events)];

const endpointRoutes = [
  operation({
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: '/webhooks',
    ...reads,
    summary: 'List webhook endpoints',
    description: 'Returns all endpoints of your account, or those of one program, without pagination.',
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
    description:
      'The URL must use HTTPS and resolve to public addresses. `signingSecret` is shown only here and when it is rotated. At most 50 endpoints.',
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
    description: 'Returns the endpoint without its signing secret.',
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
    description:
      'Says whether an endpoint receives its deliveries, and what to do if not. Counts stop at 10,000. Attempts are those of its newest 1,000 deliveries, so `recent.from` is later than 24 hours ago for an endpoint with more.',
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
    description:
      'Fields that are left out stay unchanged. A new URL is used at once: also by retries when they are due, and by deliveries that the circuit breaker paused. A URL of another scheme, host or port drops the stored headers and ends the overlap of replaced signing secrets, unless the request gives all the headers again; you get an email.',
    body: updateEndpointBody,
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
    description: 'No further attempts are sent, and waiting deliveries are cancelled.',
    reply: wire.successSchema,
    example: { data: { success: true } },
    handle: ({ ctx, params }) => deleteWebhookEndpoint(ctx, params).then(() => ({ success: true as const })),
  }),
];

const settingsRoutes = [
  operation({
    id: 'getWebhookEndpointSettings',
    method: 'GET',
    path: '/webhooks/{id}/settings',
    ...writesOne,
    summary: 'Retrieve the delivery settings of an endpoint',
    description: 'Returns how deliveries are sent to the endpoint. Values of headers are never shown: `****` stands for each.',
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
    description:
      'Headers apply to every attempt that starts from now on, including retries and resends; `maxInFlight` and `ratePerSecond` apply to first attempts only, and `rotationOverlapHours` from the next rotation on. Headers that are left out of `headers` stay as they are. An endpoint can have at most 10: more are 409 `TOO_MANY_HEADERS`.',
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

const actionRoutes = (events: EventCatalog) => [
  operation({
    id: 'rotateWebhookEndpointSecret',
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    ...writesOne,
    summary: 'Rotate the signing secret',
    description:
      'Returns the new secret, which is shown only once. The replaced secret keeps signing for `rotationOverlapHours` (24 by default, see `PATCH /webhooks/{id}/settings`): receivers that accept any of the signatures lose no delivery.',
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
    description:
      'Ends the time in which replaced secrets still sign, for example because one leaked: rotate first, then revoke. From the next attempt on, only the current secret signs. Without old secrets, it changes nothing.',
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
    description:
      'Deliveries that were paused become due immediately. Events that occurred while the endpoint was disabled are sent by `POST /webhooks/{id}/replay`: note `failingSince` and `disabledAt` before, because enabling clears both. Enabling an active endpoint changes nothing.',
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
    description:
      'Deliveries that exist are kept until the endpoint is enabled: their status is `parked` once they are due. Events that occur meanwhile get no delivery to the endpoint until they are replayed.',
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
    description: 'Sends the documented example of an event type, marked with `test: true`, to this endpoint only.',
    body: wire.testEndpointBody,
    reply: wire.deliveryDetailSchema,
    reasons: ['ENDPOINT_DISABLED'],
    example: { data: examples.testDeliveryExample, body: { type: 'payout.completed' } },
    handle: async ({ ctx, params, body }) =>
      getWebhookDelivery(ctx, await testWebhookEndpoint(ctx, { ...body, id: params.id, events })),
  }),
];
