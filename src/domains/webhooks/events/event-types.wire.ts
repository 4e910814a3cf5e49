import { z } from 'zod';
import { ALL_EVENT_TYPES, EVENT_TYPES, EVERY_EXTENDED, EXTENDED_EVENT_TYPES } from '../../../contracts/events.ts';

const EXTENDED: readonly string[] = [...EXTENDED_EVENT_TYPES, EVERY_EXTENDED];

/** Those that `subscribedEvents` takes. */
export const publishedEventType = z
  .enum(EVENT_TYPES, {
    error: ({ input }) =>
      EXTENDED.some((type) => type === input)
        ? 'is an extended event type: set it as extendedEvents with PATCH /webhooks/{id}/settings'
        : undefined,
  })
  .meta({ id: 'WebhookEventType' });
export const eventType = z.enum(ALL_EVENT_TYPES).meta({ id: 'AnyWebhookEventType' });
