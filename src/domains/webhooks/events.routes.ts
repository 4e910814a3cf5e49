import { z } from 'zod';
import type { EventCatalog } from '../../platform/event-definition.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { listEventTypes } from './event-types.queries.ts';
import { eventTypeSchema } from './events.wire.ts';

const reads = { tag: 'Webhooks', access: { keys: ['merchant'], scope: 'webhooks:read' } } as const;

export const eventRoutes = (events: EventCatalog): Operation[] => [
  operation({
    id: 'listEventTypes',
    method: 'GET',
    path: '/event-types',
    ...reads,
    summary: 'List event types with an example of each',
    reply: z.array(eventTypeSchema),
    example: { data: listEventTypes(events).filter(({ type }) => type === 'payout.completed') },
    handle: async () => listEventTypes(events),
  }),
];
