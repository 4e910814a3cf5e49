import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { revokeOldWebhookEndpointSecrets } from './use-cases/revoke-old-webhook-endpoint-secrets.ts';
import { endpointExample } from './webhooks.examples.ts';
import { endpointSchema, toEndpoint } from './webhooks.wire.ts';

export const webhookSecretRoutes: Operation[] = [
  operation({
    id: 'revokeOldWebhookEndpointSecrets',
    method: 'POST',
    path: '/webhooks/{id}/revoke-old-secrets',
    tag: 'Webhooks',
    access: { keys: ['merchant'], scope: 'webhooks:write' },
    params: idParams,
    summary: 'Revoke all signing secrets but the current one',
    reply: endpointSchema,
    example: { data: endpointExample },
    handle: async ({ ctx, params }) => toEndpoint(await revokeOldWebhookEndpointSecrets(ctx, params)),
  }),
];
