import type { PublishedEventType } from '../../../contracts/events.ts';
import { MAX_ENDPOINTS_PER_MERCHANT } from '../../../contracts/limits.ts';
import { type Context, emitInternal, inTransaction, merchantOf } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { conflict } from '../../../platform/errors.ts';
import { recordEndpointChange } from '../endpoint-changes.ts';
import { issueSecret } from '../signing-secrets.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { assertOwnProgram, countEndpoints } from '../webhook-endpoints.queries.ts';

export interface CreateWebhookEndpointInput {
  name: string;
  url: string;
  subscribedEvents: readonly PublishedEventType[];
  programId?: string | null | undefined;
}

/** Creates an active endpoint with its first secret. The lock enforces the limit for concurrent requests. */
export const createWebhookEndpoint = (
  ctx: Context,
  input: CreateWebhookEndpointInput,
): Promise<{ endpoint: WebhookEndpoint; signingSecret: string }> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = merchantOf(ctx);
    if (input.programId) await assertOwnProgram(ctx, input.programId);
    await lockName(ctx, `endpoints:${merchantId}`);
    if ((await countEndpoints(ctx, merchantId)) >= MAX_ENDPOINTS_PER_MERCHANT) {
      throw conflict(
        'TOO_MANY_ENDPOINTS',
        'The merchant has the maximum number of endpoints. Delete one before creating another',
        {
          limit: MAX_ENDPOINTS_PER_MERCHANT,
        },
      );
    }
    const now = ctx.clock.now();
    const endpoint = ctx.em.create(WebhookEndpoint, {
      id: ctx.ids.next(),
      merchantId,
      programId: input.programId ?? null,
      name: input.name,
      url: input.url,
      subscribedEvents: [...new Set(input.subscribedEvents)],
      createdAt: now,
      updatedAt: now,
    });
    const signingSecret = issueSecret(ctx, endpoint, now);
    await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.created' });
    await emitInternal(ctx, { type: 'webhook_endpoint.created', endpointId: endpoint.id, merchantId, createdAt: now });
    return { endpoint, signingSecret };
  });
