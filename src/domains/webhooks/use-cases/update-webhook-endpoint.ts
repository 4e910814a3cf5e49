import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';
import type { EndpointChanges, WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { assertOwnProgram } from '../webhook-endpoints.queries.ts';

/** Applies from the next attempt on. Deliveries that exist already are kept. */
export const updateWebhookEndpoint = (ctx: Context, input: EndpointChanges & { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    if (input.programId) await assertOwnProgram(ctx, input.programId);
    endpoint.change(input, ctx.clock.now());
    return endpoint;
  });
