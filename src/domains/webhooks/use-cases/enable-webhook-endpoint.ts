import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { lockWebhookEndpoint } from './lock-webhook-endpoint.ts';

const BATCH = 5_000;

/** Parked deliveries become due now, with the budget they have left, each as a new run. */
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
      insert into outbox (topic, subject_id, suffix, payload)
      select 'webhook.deliver', id, ${`/e${endpoint.enableCount}`},
        jsonb_build_object('merchantId', merchant_id, 'endpointId', endpoint_id)
      from resumed order by id`,
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
