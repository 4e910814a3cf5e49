import { EVENT_RESOURCES, EVENT_TYPES } from '../../contracts/events.ts';
import { invariant } from '../../platform/errors.ts';
import type { EventCatalog } from '../../platform/event-definition.ts';
import { type EventTypeView, eventSchema } from './events.wire.ts';
import { envelopeExample } from './webhooks.examples.ts';

/** In the order of the specification. They are the same for everybody. */
export const listEventTypes = (events: EventCatalog): EventTypeView[] =>
  EVENT_TYPES.map((type) => {
    const resource = EVENT_RESOURCES.find((name) => type.startsWith(`${name}.`));
    invariant(resource, 'the name of an event type begins with its resource');
    const { description, example } = events[type];
    return { type, resource, description, example: eventSchema.parse(envelopeExample(type, example)) };
  });
