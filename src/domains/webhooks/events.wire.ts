import { z } from 'zod';
import { EVENT_RESOURCES, EVENT_TYPES } from '../../contracts/events.ts';
import { PAGE_MAX } from '../../contracts/limits.ts';
import { instant, queryInteger, storedUuid } from '../../platform/http/schemas.ts';
import { envelopeFields, eventType } from './webhooks.wire.ts';

/** The body of a delivery, of any type. Nothing is left out: an event is shown as it was sent. */
export const eventSchema = z
  .looseObject({
    id: storedUuid.meta({ description: 'Same as the webhook-id header of its deliveries' }),
    type: eventType,
    ...envelopeFields,
    data: z.looseObject({}),
  })
  .meta({ id: 'Event' });

export type EventView = z.infer<typeof eventSchema>;

/** As receivers got it. Only the removal of personal data changes a stored body. */
export const toEvent = (body: Buffer): EventView => JSON.parse(body.toString('utf8'));

const TYPE = `(?:${EVENT_TYPES.map((type) => type.replace('.', '\\.')).join('|')})`;
const TYPES_PATTERN = `^${TYPE}(?:,${TYPE})*$`;

export const listEventsQuery = z.strictObject({
  after: z.string().max(512).optional(),
  since: instant.optional(),
  limit: queryInteger(1, PAGE_MAX).optional(),
  types: z
    .string()
    .max(512)
    .regex(new RegExp(TYPES_PATTERN), 'must be event types, separated by commas')
    .transform((text) => EVENT_TYPES.filter((type) => text.split(',').includes(type)))
    .meta({ override: { type: 'string', maxLength: 512, pattern: TYPES_PATTERN } })
    .optional(),
});

export const eventTypeSchema = z
  .object({ type: eventType, resource: z.enum(EVENT_RESOURCES), description: z.string(), example: eventSchema })
  .meta({ id: 'EventType' });

export type EventTypeView = z.infer<typeof eventTypeSchema>;
