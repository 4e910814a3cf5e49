import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { EVENT_TYPES, type EventType } from '../contracts/events.ts';
import { envelopeExample, envelopeSchema } from '../domains/webhooks/index.ts';
import type { EventCatalog, EventDefinition } from '../platform/event-definition.ts';

const deliveryHeaders = z.object({
  'webhook-id': z.string().meta({ description: 'Id of the event, identical in every attempt: use it to ignore duplicates' }),
  'webhook-timestamp': z.string().meta({ description: 'Time of the attempt, in Unix seconds' }),
  'webhook-signature': z.string().meta({
    description: 'Space-separated `v1,` signatures (Standard Webhooks), one for each signing secret',
  }),
});

const toWebhook = (type: EventType, { description, schema, example }: EventDefinition): ZodOpenApiOperationObject => ({
  tags: ['Webhooks'],
  summary: type,
  description,
  security: [],
  requestParams: { header: deliveryHeaders },
  requestBody: {
    required: true,
    content: { 'application/json': { schema: envelopeSchema(type, schema), example: envelopeExample(type, example) } },
  },
  responses: { '2XX': { description: 'Acknowledges the delivery. Any other status is retried.' } },
});

/** The `webhooks` section of the OpenAPI document: one entry for each event type. */
export const createOpenApiWebhooks = (events: EventCatalog) =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: toWebhook(type, events[type]) }]));
