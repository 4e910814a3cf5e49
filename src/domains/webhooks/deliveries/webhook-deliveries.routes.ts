import { operation } from '../../../platform/http/operation.ts';
import { idParams } from '../../../platform/http/schemas.ts';
import { resendWebhookDelivery } from '../use-cases/resend-webhook-delivery.ts';
import { deliveryDetailExample, deliveryExample } from '../webhooks.examples.ts';
import { deliveryDetailSchema, deliverySchema, listDeliveriesQuery } from '../webhooks.wire.ts';
import { getWebhookDelivery, listWebhookDeliveries } from './webhook-deliveries.queries.ts';

const writes = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:write' }, params: idParams } as const;
const reads = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:read' }, params: idParams } as const;

export const webhookDeliveryRoutes = [
  operation({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    ...reads,
    summary: 'List the deliveries of an endpoint, newest first',
    description: 'One delivery is one event to one endpoint, with any number of attempts.',
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
    description: 'Shows what was sent, when, and what the receiver returned for each of the newest 100 attempts.',
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
    description:
      'Makes one attempt now, with the same body and `webhook-id`, signed with the secrets that are valid now, whatever the status of the delivery. Take the id of the delivery from `GET /webhooks/{id}/deliveries`. If the receiver accepts it, the delivery is `succeeded` and scheduled attempts end; otherwise status and schedule stay as they are. A 410 disables the endpoint, except for test deliveries. While the attempt is in progress, repeating the request changes nothing. If the endpoint is disabled or was deleted, the response is 409 `ENDPOINT_DISABLED` or `ENDPOINT_DELETED`. At most 32 resends of one endpoint are in progress, and a delivery is resent at most 50 times: more are 409 `TOO_MANY_RESENDS`.',
    reply: deliveryDetailSchema,
    reasons: ['ENDPOINT_DELETED', 'ENDPOINT_DISABLED', 'TOO_MANY_RESENDS'],
    example: { data: deliveryDetailExample },
    handle: ({ ctx, params }) => resendWebhookDelivery(ctx, params).then(() => getWebhookDelivery(ctx, params.id)),
  }),
];
