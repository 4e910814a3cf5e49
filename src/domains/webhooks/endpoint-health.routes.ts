import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { getWebhookEndpointHealth } from './endpoint-health.queries.ts';
import { endpointHealthSchema } from './endpoint-health.wire.ts';
import { endpointHealthExample } from './webhooks.examples.ts';

export const endpointHealthRoutes: Operation[] = [
  operation({
    id: 'getWebhookEndpointHealth',
    method: 'GET',
    path: '/webhooks/{id}/health',
    tag: 'Webhooks',
    access: { keys: ['merchant'], scope: 'webhooks:read' },
    params: idParams,
    summary: 'Retrieve the health of an endpoint',
    reply: endpointHealthSchema,
    example: { data: endpointHealthExample },
    handle: ({ ctx, params }) => getWebhookEndpointHealth(ctx, params.id),
  }),
];
