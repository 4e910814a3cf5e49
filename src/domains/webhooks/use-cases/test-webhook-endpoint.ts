import type { EventType } from '../../../contracts/events.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { sql } from '../../../platform/database/sql.ts';
import { conflict, invariant } from '../../../platform/errors.ts';
import { EVENT_EXAMPLES } from '../event-examples.ts';
import { lockWebhookEndpoint } from './lock-webhook-endpoint.ts';
import { recordEvent } from './record-event.ts';

/** Sends the documented example to this endpoint alone, down the road of every event. Returns the delivery's id. */
export const testWebhookEndpoint = (ctx: Context, input: { id: string; type?: EventType | undefined }): Promise<string> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    if (endpoint.status !== 'active') {
      throw conflict('ENDPOINT_DISABLED', 'A disabled endpoint receives nothing: enable it first');
    }
    const type = input.type ?? endpoint.subscribedEvents[0];
    invariant(type, 'an endpoint subscribes to at least one event');
    const event = { type, merchantId: endpoint.merchantId, programId: endpoint.programId ?? null, data: EVENT_EXAMPLES[type] };
    const [deliveryId] = await recordEvent(ctx, event, { trigger: 'test', recipients: sql`endpoint.id = ${endpoint.id}::uuid` });
    invariant(deliveryId, 'a test has one delivery');
    return deliveryId;
  });
