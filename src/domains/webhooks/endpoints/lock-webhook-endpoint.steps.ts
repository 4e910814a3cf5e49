import type { Context } from '../../../platform/context.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

/** The caller's endpoint, locked until the transaction ends. A deleted one is not found. */
export const lockWebhookEndpoint = (ctx: Context, id: string): Promise<WebhookEndpoint> =>
  lockOwned(ctx, 'Webhook endpoint', WebhookEndpoint, { id, deletedAt: null });
