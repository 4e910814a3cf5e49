import type { Operation } from '../../platform/http/operation.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { getWebhookDelivery, listWebhookDeliveries } from './webhook-deliveries.queries.ts';
import { deliveryDetailExample, deliveryExample } from './webhooks.examples.ts';
import { deliveryDetailSchema, deliverySchema, listDeliveriesQuery } from './webhooks.wire.ts';

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
];
