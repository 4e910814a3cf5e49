import { type Context, inTransaction } from '../../../platform/context.ts';
import { auditedOf, recordEndpointChange } from '../endpoint-changes.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

/** Stops sending: pending deliveries are parked by their next attempt. Disabling again changes nothing. */
export const disableWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    const before = auditedOf(endpoint);
    if (endpoint.disable('merchant', ctx.clock.now())) {
      await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.updated', before });
    }
    return endpoint;
  });
