import { MAX_OPEN_RESENDS, MAX_RESENDS } from '../../../contracts/limits.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict, invariant } from '../../../platform/errors.ts';
import { enqueue } from '../../../platform/outbox/outbox.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { countOpenResends } from '../deliveries/webhook-deliveries.queries.ts';
import { WebhookDelivery } from '../webhook-delivery.entity.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

/**
 * Requests one attempt now, whatever the status of the delivery, which only a success changes. Nothing happens while the
 * attempt of an earlier request has no outcome. Whether the endpoint was disabled meanwhile is checked by
 * `startDeliveryAttempt`.
 */
export const resendWebhookDelivery = (ctx: Context, { id }: { id: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const delivery = await lockOwned(ctx, 'Webhook delivery', WebhookDelivery, { id });
    await assertReceives(ctx, delivery);
    if (delivery.resendRequestedAt) return;
    if (delivery.resendCount >= MAX_RESENDS) {
      throw conflict('TOO_MANY_RESENDS', `The delivery was resent ${MAX_RESENDS} times, which is the maximum`, {
        limit: MAX_RESENDS,
      });
    }
    await assertFewOpen(ctx, delivery);
    const { merchantId, endpointId } = delivery;
    const suffix = delivery.requestResend(ctx.clock.now());
    await enqueue(ctx, { topic: 'webhook.deliver', subjectId: id, suffix, payload: { merchantId, endpointId } });
  });

/** Requests at the same moment may exceed the limit by their number. */
const assertFewOpen = async (ctx: Context, { endpointId }: WebhookDelivery): Promise<void> => {
  if ((await countOpenResends(ctx, endpointId)) < MAX_OPEN_RESENDS) return;
  const message = `${MAX_OPEN_RESENDS} resends of the endpoint are in progress. Try again once they have ended`;
  throw conflict('TOO_MANY_RESENDS', message, { limit: MAX_OPEN_RESENDS });
};

const assertReceives = async (ctx: Context, { endpointId }: WebhookDelivery): Promise<void> => {
  const endpoint = await ctx.em.findOne(WebhookEndpoint, { id: endpointId }, { refresh: true });
  invariant(endpoint, 'a delivery has an endpoint');
  if (endpoint.deletedAt) throw conflict('ENDPOINT_DELETED', 'The endpoint of the delivery was deleted');
  if (endpoint.status !== 'active') {
    throw conflict('ENDPOINT_DISABLED', 'The endpoint is disabled. Enable it before resending a delivery');
  }
};
