import { z } from 'zod';
import { ALL_EVENT_TYPES, EVENT_RESOURCES } from '../../../contracts/events.ts';
import { PAGE_MAX } from '../../../contracts/limits.ts';
import { instant, queryBoolean, queryInteger, storedUuid } from '../../../platform/http/schemas.ts';
import { envelopeFields } from '../webhooks.wire.ts';
import { eventType } from './event-types.wire.ts';

/** The body of a delivery, of any type, as it was sent. */
export const eventSchema = z
  .looseObject({
    id: storedUuid.describe('Same as the webhook-id header of its deliveries'),
    type: eventType.describe('Event type'),
    ...envelopeFields,
    data: z
      .looseObject({})
      .optional()
      .describe(
        'The object as the API would have returned it at that moment, see the Webhooks section for each type. Left out, and the type named in `meta.withheld`, when the key lacks the scope that reads it',
      ),
  })
  .meta({ id: 'Event' });

export type EventView = z.infer<typeof eventSchema>;

/** As receivers got it. Only the removal of personal data changes a stored body. */
export const toEvent = (body: Buffer): EventView => JSON.parse(body.toString('utf8'));

const TYPE = `(?:${ALL_EVENT_TYPES.map((type) => type.replace('.', '\\.')).join('|')})`;
const TYPES_PATTERN = `^${TYPE}(?:,${TYPE})*$`;

export const listEventsQuery = z.strictObject({
  after: z
    .string()
    .max(512)
    .optional()
    .describe(
      'The `nextCursor` of the previous page. Default: the oldest event, or the time of `since`. Cannot be combined with `since`. A cursor whose event is no longer kept is 400',
    ),
  since: instant
    .optional()
    .describe(
      'Start with the events of this time; up to 15 minutes of earlier ones may precede them. Default: the oldest event. Cannot be combined with `after`',
    ),
  limit: queryInteger(1, PAGE_MAX).optional().describe('Maximum number of events. Default: 20'),
  types: z
    .string()
    .max(512)
    .regex(new RegExp(TYPES_PATTERN), 'must be event types, separated by commas')
    .transform((text) => ALL_EVENT_TYPES.filter((type) => text.split(',').includes(type)))
    .meta({ override: { type: 'string', maxLength: 512, pattern: TYPES_PATTERN } })
    .optional()
    .describe('Only events of these types, separated by commas, extended ones included. Default: all types'),
  extended: queryBoolean
    .optional()
    .describe('true: extended types too. Without effect beside `types`. Default: false, only the types of `subscribedEvents`'),
});

export const eventTypeSchema = z
  .object({
    type: eventType.describe('Name of the event type'),
    resource: z.enum(EVENT_RESOURCES).describe('What the event is about'),
    extended: z
      .boolean()
      .describe(
        'Whether an endpoint gets it only if the `extendedEvents` of its settings say so; `subscribedEvents` takes the other types',
      ),
    description: z.string().describe('When the event is sent'),
    example: eventSchema.describe('Example of the body'),
  })
  .meta({ id: 'EventType' });

export type EventTypeView = z.infer<typeof eventTypeSchema>;
