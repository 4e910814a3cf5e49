import { type Context, inTransaction } from '../../../platform/context.ts';
import { recordEndpointChange } from '../endpoint-changes.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';
import { deleteReplacedSecrets } from '../signing-secrets.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

/**
 * Deletes all secrets but the current one: the next attempt is signed with that one only. A second call changes nothing. The
 * lock orders it with rotations.
 */
export const revokeOldWebhookEndpointSecrets = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    if ((await deleteReplacedSecrets(ctx, endpoint.id)) > 0) {
      await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.old_secrets_revoked', after: {} });
    }
    return endpoint;
  });
