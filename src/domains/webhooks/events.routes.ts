import { z } from 'zod';
import type { EventCatalog } from '../../platform/event-definition.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { listEvents, listEventTypes } from './events.queries.ts';
import { eventSchema, eventTypeSchema, listEventsQuery } from './events.wire.ts';

const reads = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:read' } } as const;

const shownOf = (events: EventCatalog) => listEventTypes(events).filter(({ type }) => type === 'payout.completed');

export const eventRoutes = (events: EventCatalog): Operation[] => [
  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    ...reads,
    summary: 'List events, oldest first',
    query: listEventsQuery,
    paged: 'feed',
    reply: eventSchema,
    example: { data: shownOf(events).map(({ example }) => example) },
    handle: ({ ctx, query }) => listEvents(ctx, query),
  }),
  operation({
    id: 'listEventTypes',
    method: 'GET',
    path: '/event-types',
    ...reads,
    summary: 'List event types with an example of each',
    reply: z.array(eventTypeSchema),
    example: { data: shownOf(events) },
    handle: async () => listEventTypes(events),
  }),
];
