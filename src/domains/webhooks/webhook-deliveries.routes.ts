import type { Operation } from '../../platform/http/operation.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { resendWebhookDelivery } from './use-cases/resend-webhook-delivery.ts';
import { getWebhookDelivery, listWebhookDeliveries } from './webhook-deliveries.queries.ts';
import { deliveryDetailExample, deliveryExample } from './webhooks.examples.ts';
import { deliveryDetailSchema, deliverySchema, listDeliveriesQuery } from './webhooks.wire.ts';

const writes = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:write' }, params: idParams } as const;
const reads = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:read' }, params: idParams } as const;

export const webhookDeliveryRoutes: Operation[] = [
  operation({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    ...reads,
    summary: 'List the deliveries of an endpoint, newest first',
    query: listDeliveriesQuery,
    paged: true,
    reply: deliverySchema,
    example: { data: [deliveryExample] },
    handle: ({ ctx, params, query }) => listWebhookDeliveries(ctx, { ...query, endpointId: params.id }),
  }),
  operation({
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/webhook-deliveries/{id}',
    ...reads,
    summary: 'Retrieve a delivery with its attempts',
    reply: deliveryDetailSchema,
    example: { data: deliveryDetailExample },
    handle: ({ ctx, params }) => getWebhookDelivery(ctx, params.id),
  }),
  operation({
    id: 'resendWebhookDelivery',
    method: 'POST',
    path: '/webhook-deliveries/{id}/resend',
    ...writes,
    summary: 'Send a delivery again now',
    reply: deliveryDetailSchema,
    reasons: ['ENDPOINT_DELETED', 'ENDPOINT_DISABLED', 'TOO_MANY_RESENDS'],
    example: { data: deliveryDetailExample },
    handle: ({ ctx, params }) => resendWebhookDelivery(ctx, params).then(() => getWebhookDelivery(ctx, params.id)),
  }),
];
