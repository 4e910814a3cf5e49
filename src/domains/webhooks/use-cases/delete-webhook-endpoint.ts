import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';

/**
 * Keeps the delivery history and deletes the secrets. Pending deliveries are cancelled by their next attempt; parked ones
 * have no running workflow, so they are cancelled here.
 */
export const deleteWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    const now = ctx.clock.now();
    endpoint.delete(now);
    await ctx.em.flush();
    await execute(ctx.em, sql`delete from webhook_secret where endpoint_id = ${endpoint.id}::uuid`);
    await execute(
      ctx.em,
      sql`update webhook_delivery set status = 'cancelled', next_attempt_at = null, updated_at = ${now.toISOString()}::timestamptz
        where endpoint_id = ${endpoint.id}::uuid and status = 'parked'`,
    );
  });
