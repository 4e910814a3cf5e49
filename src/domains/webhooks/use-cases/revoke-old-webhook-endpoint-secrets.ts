import { type Context, inTransaction } from '../../../platform/context.ts';
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
    await deleteReplacedSecrets(ctx, endpoint.id);
    return endpoint;
  });
