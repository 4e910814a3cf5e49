import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

/**
 * Its lane resumes parked deliveries in batches, see `unparkDeliveries`. Enabling an active endpoint changes nothing.
 */
export const enableWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    endpoint.enable(ctx.clock.now());
    return endpoint;
  });
