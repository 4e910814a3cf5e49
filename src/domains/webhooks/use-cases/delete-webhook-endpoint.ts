import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { auditedOf, recordEndpointChange } from '../endpoint-changes.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';

/**
 * Keeps the delivery history and deletes the secrets. From now on nothing is sent. What waits is cancelled afterwards, whatever
 * its number: by the lane in batches (see `closeWaitingDeliveries` and `unparkDeliveries`), or by its next attempt.
 */
export const deleteWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.deleted', before: auditedOf(endpoint), after: {} });
    endpoint.delete(ctx.clock.now());
    await execute(ctx.em, db.deleteFrom('webhook_secret').where('endpointId', '=', endpoint.id));
  });
