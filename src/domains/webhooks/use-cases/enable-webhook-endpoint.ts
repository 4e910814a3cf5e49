import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { enqueueDeliveries } from '../enqueue-deliveries.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

const BATCH = 5_000;

/** Parked deliveries become due now and keep their attempt counts. Each gets a new workflow run. */
const resumeParked = (ctx: Context, endpoint: WebhookEndpoint): Promise<number> => {
  const now = ctx.clock.now().toISOString();
  return execute(
    ctx.em,
    sql`with resumed as (
        update webhook_delivery set status = 'pending', next_attempt_at = ${now}::timestamptz, updated_at = ${now}::timestamptz
        where id in (
          select id from webhook_delivery where endpoint_id = ${endpoint.id}::uuid and status = 'parked'
          order by created_at, id limit ${BATCH})
        returning id, endpoint_id, merchant_id)
      ${enqueueDeliveries(`/e${endpoint.enableCount}`, sql`(select * from resumed order by id) delivery`)}`,
  );
};

/** Enabling an active endpoint changes nothing. */
export const enableWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    if (!endpoint.enable(ctx.clock.now())) return endpoint;
    await ctx.em.flush();
    while ((await resumeParked(ctx, endpoint)) === BATCH);
    return endpoint;
  });
