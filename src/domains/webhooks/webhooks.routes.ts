import { z } from 'zod';
import type { Access, Operation } from '../../platform/http/operation.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { assertUrl } from './assert-url.ts';
import { createWebhookEndpoint } from './use-cases/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from './use-cases/delete-webhook-endpoint.ts';
import { disableWebhookEndpoint } from './use-cases/disable-webhook-endpoint.ts';
import { enableWebhookEndpoint } from './use-cases/enable-webhook-endpoint.ts';
import { rotateWebhookEndpointSecret } from './use-cases/rotate-webhook-endpoint-secret.ts';
import { testWebhookEndpoint } from './use-cases/test-webhook-endpoint.ts';
import { updateWebhookEndpoint } from './use-cases/update-webhook-endpoint.ts';
import { deliveryDetailExample, deliveryExample, endpointExample, secretExample } from './webhooks.examples.ts';
import { getDelivery, getEndpoint, listDeliveries, listEndpoints } from './webhooks.queries.ts';
import {
  createEndpointBody,
  deliveryDetailSchema,
  deliverySchema,
  endpointSchema,
  listDeliveriesQuery,
  listEndpointsQuery,
  secretSchema,
  successSchema,
  testEndpointBody,
  toEndpoint,
  updateEndpointBody,
} from './webhooks.wire.ts';

const tag = 'Webhooks';
const mayRead: Access = { keys: ['merchant'], scope: 'webhooks:read' };
const mayWrite: Access = { keys: ['merchant'], scope: 'webhooks:write' };

export const webhookRoutes: Operation[] = [
  operation({
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: '/webhooks',
    tag,
    summary: 'List webhook endpoints',
    access: mayRead,
    query: listEndpointsQuery,
    reply: z.array(endpointSchema),
    example: { data: [endpointExample] },
    handle: ({ ctx, query }) => listEndpoints(ctx, query),
  }),
  operation({
    id: 'createWebhookEndpoint',
    method: 'POST',
    path: '/webhooks',
    tag,
    summary: 'Register an endpoint; its signing secret is shown this once',
    access: mayWrite,
    body: createEndpointBody,
    reply: secretSchema,
    status: 201,
    secret: true,
    errors: ['NOT_FOUND'],
    reasons: ['TOO_MANY_ENDPOINTS'],
    example: {
      data: secretExample,
      body: { name: endpointExample.name, url: endpointExample.url, subscribedEvents: endpointExample.subscribedEvents },
    },
    prepare: ({ ctx, body }) => assertUrl(ctx, body.url),
    handle: async ({ ctx, body }) => {
      const { endpoint, signingSecret } = await createWebhookEndpoint(ctx, body);
      return { endpoint: toEndpoint(endpoint), signingSecret };
    },
  }),
  operation({
    id: 'getWebhookEndpoint',
    method: 'GET',
    path: '/webhooks/{id}',
    tag,
    summary: 'Read a webhook endpoint',
    access: mayRead,
    params: idParams,
    reply: endpointSchema,
    example: { data: endpointExample },
    handle: ({ ctx, params }) => getEndpoint(ctx, params.id),
  }),
  operation({
    id: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: '/webhooks/{id}',
    tag,
    summary: 'Change name, address, program or subscribed events',
    access: mayWrite,
    params: idParams,
    body: updateEndpointBody,
    reply: endpointSchema,
    example: { data: { ...endpointExample, name: 'Billing service' }, body: { name: 'Billing service' } },
    prepare: ({ ctx, body }) => assertUrl(ctx, body.url),
    handle: async ({ ctx, params, body }) => toEndpoint(await updateWebhookEndpoint(ctx, { ...body, id: params.id })),
  }),
  operation({
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/webhooks/{id}',
    tag,
    summary: 'Delete a webhook endpoint; its delivery history stays',
    access: mayWrite,
    params: idParams,
    reply: successSchema,
    example: { data: { success: true } },
    handle: async ({ ctx, params }) => {
      await deleteWebhookEndpoint(ctx, params);
      return { success: true as const };
    },
  }),
  operation({
    id: 'rotateWebhookEndpointSecret',
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    tag,
    summary: 'Issue a new signing secret; the old one signs beside it for 24 hours',
    access: mayWrite,
    params: idParams,
    reply: secretSchema,
    secret: true,
    example: { data: secretExample },
    handle: async ({ ctx, params }) => {
      const { endpoint, signingSecret } = await rotateWebhookEndpointSecret(ctx, params);
      return { endpoint: toEndpoint(endpoint), signingSecret };
    },
  }),
  operation({
    id: 'enableWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/enable',
    tag,
    summary: 'Enable an endpoint; parked deliveries go on',
    access: mayWrite,
    params: idParams,
    reply: endpointSchema,
    example: { data: endpointExample },
    handle: async ({ ctx, params }) => toEndpoint(await enableWebhookEndpoint(ctx, params)),
  }),
  operation({
    id: 'disableWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/disable',
    tag,
    summary: 'Disable an endpoint; waiting deliveries are parked',
    access: mayWrite,
    params: idParams,
    reply: endpointSchema,
    example: { data: { ...endpointExample, status: 'disabled', disabledAt: '2026-02-01T08:00:00.000Z' } },
    handle: async ({ ctx, params }) => toEndpoint(await disableWebhookEndpoint(ctx, params)),
  }),
  operation({
    id: 'testWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/test',
    tag,
    summary: 'Deliver the documented example of an event to this endpoint',
    access: mayWrite,
    params: idParams,
    body: testEndpointBody,
    reply: deliveryDetailSchema,
    reasons: ['ENDPOINT_DISABLED'],
    example: {
      data: { ...deliveryExample, trigger: 'test', status: 'pending', attemptCount: 0, attempts: [] },
      body: { type: 'payout.completed' },
    },
    handle: async ({ ctx, params, body }) => getDelivery(ctx, await testWebhookEndpoint(ctx, { ...body, id: params.id })),
  }),
  operation({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    tag,
    summary: 'List the deliveries of an endpoint, newest first',
    access: mayRead,
    params: idParams,
    query: listDeliveriesQuery,
    paged: true,
    reply: deliverySchema,
    example: { data: [deliveryExample] },
    handle: ({ ctx, params, query }) => listDeliveries(ctx, params.id, query),
  }),
  operation({
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/webhook-deliveries/{id}',
    tag,
    summary: 'Read a delivery with its attempts',
    access: mayRead,
    params: idParams,
    reply: deliveryDetailSchema,
    example: { data: deliveryDetailExample },
    handle: ({ ctx, params }) => getDelivery(ctx, params.id),
  }),
];
