import { type Context, inTransaction } from '../../../platform/context.ts';
import { auditedOf, recordEndpointChange } from '../endpoint-changes.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

/**
 * Its lane resumes parked deliveries in batches, see `unparkDeliveries`. Enabling an active endpoint changes nothing.
 */
export const enableWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    const before = auditedOf(endpoint);
    if (endpoint.enable(ctx.clock.now())) {
      await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.updated', before });
    }
    return endpoint;
  });
