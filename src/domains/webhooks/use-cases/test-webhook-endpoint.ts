import type { EventType } from '../../../contracts/events.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict, invariant } from '../../../platform/errors.ts';
import type { EventCatalog } from '../../../platform/event-definition.ts';
import { lockWebhookEndpoint } from '../endpoints/lock-webhook-endpoint.steps.ts';
import { recordEvents } from '../events/record-event.steps.ts';

export interface TestWebhookEndpointInput {
  id: string;
  /** The first subscribed type if omitted. */
  type?: EventType | undefined;
  events: EventCatalog;
}

/** Sends an event's documented example to this endpoint only, like any other delivery. Returns the delivery's id. */
export const testWebhookEndpoint = (ctx: Context, input: TestWebhookEndpointInput): Promise<string> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    if (endpoint.status !== 'active') {
      throw conflict('ENDPOINT_DISABLED', 'The endpoint is disabled. Enable it before sending a test event');
    }
    const type = input.type ?? endpoint.subscribedEvents[0];
    invariant(type, 'an endpoint subscribes to at least one event');
    const { merchantId, programId = null } = endpoint;
    const event = { type, merchantId, programId, data: input.events[type].example };
    const [deliveryId] = await recordEvents(ctx, [event], endpoint.id);
    invariant(deliveryId, 'a test event has one delivery');
    return deliveryId;
  });
