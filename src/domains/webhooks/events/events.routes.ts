import { z } from 'zod';
import type { EventCatalog } from '../../../platform/event-definition.ts';
import { operation } from '../../../platform/http/operation.ts';
import { listEvents, listEventTypes } from './events.queries.ts';
import { eventSchema, eventTypeSchema, listEventsQuery } from './events.wire.ts';

const reads = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:read' } } as const;

const shownOf = (events: EventCatalog) => listEventTypes(events).filter(({ type }) => type === 'payout.completed');

export const eventRoutes = (events: EventCatalog) => [
  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    ...reads,
    summary: 'List events, oldest first',
    description:
      'Every event of your account, as webhooks deliver it, without test events; extended types only with `extended=true`, or when `types` names them. It is read by cursor and never skips an event: keep `meta.nextCursor` and pass it as `after` next time, also when the page was empty or the last one. Events are listed in the order in which they were committed, which is not always that of `createdAt`, usually within a second. They are kept for 90 days. With `types`, a page may be short, or empty, while `hasMore` is true. `data` of an event is shown to keys that may read the object: with `programs:read`, `affiliates:read`, `conversions:read` (sales too), `payouts:read` or `flags:read`, and applications with `affiliates:read`; `meta.withheld` names the types of the page whose `data` is left out.',
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
    description:
      'Returns each event type, extended ones last, with a description and an example of the body that receivers get. Not paginated.',
    reply: z.array(eventTypeSchema),
    example: { data: shownOf(events) },
    handle: async () => listEventTypes(events),
  }),
];
