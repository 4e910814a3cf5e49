import { z } from 'zod';
import { ENVIRONMENTS, EVENT_RESOURCES, SCHEMA_VERSION } from '../../contracts/events.ts';
import { timestamp, uuid } from '../../platform/http/schemas.ts';
import { eventType } from './webhooks.wire.ts';

/** The body of a delivery, of any type. Nothing is left out: an event is shown as it was sent. */
export const eventSchema = z
  .looseObject({
    id: uuid.meta({ description: 'Same as the webhook-id header of its deliveries' }),
    type: eventType,
    schemaVersion: z.literal(SCHEMA_VERSION),
    createdAt: timestamp,
    merchantId: uuid,
    programId: uuid.optional(),
    environment: z.enum(ENVIRONMENTS),
    data: z.looseObject({}),
  })
  .meta({ id: 'Event' });

export type EventView = z.infer<typeof eventSchema>;

export const eventTypeSchema = z
  .object({ type: eventType, resource: z.enum(EVENT_RESOURCES), description: z.string(), example: eventSchema })
  .meta({ id: 'EventType' });

export type EventTypeView = z.infer<typeof eventTypeSchema>;
