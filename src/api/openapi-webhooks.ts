import { z } from 'zod';
import type { createDocument, ZodOpenApiOperationObject } from 'zod-openapi';
import { ALL_EVENT_TYPES, type EventType } from '../contracts/events.ts';
import { envelopeExample, envelopeSchema } from '../domains/webhooks/index.ts';
import type { EventCatalog, EventDefinition } from '../platform/event-definition.ts';

const deliveryHeaders = z.object({
  'webhook-id': z.string().describe('Id of the event, identical in every attempt: use it to ignore duplicates'),
  'webhook-timestamp': z.string().describe('Time of the attempt, in Unix seconds'),
  'webhook-signature': z.string().describe('Space-separated `v1,` signatures (Standard Webhooks), one for each signing secret'),
});

const ACKNOWLEDGED = '2XX';

const toWebhook = (type: EventType, { description, schema, example }: EventDefinition): ZodOpenApiOperationObject => ({
  operationId: `receive${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
  tags: ['Webhooks'],
  summary: type,
  description,
  security: [],
  requestParams: { header: deliveryHeaders },
  responses: {
    [ACKNOWLEDGED]: {
      description: 'Acknowledges the delivery. Any other status is retried.',
      content: { 'application/json': { schema: envelopeSchema(type, schema), example: envelopeExample(type, example) } },
    },
  },
});

/** One entry for each event type. Its body is declared as a response and needs `moveWebhookBodies`. */
export const openApiWebhooks = (events: EventCatalog) =>
  Object.fromEntries(ALL_EVENT_TYPES.map((type) => [type, { post: toWebhook(type, events[type]) }]));

/**
 * Makes each declared response body the request body. A delivery is a request that this server sends: rendered as a request,
 * its schemas would differ from those of responses, and each resource would be published twice.
 */
export const moveWebhookBodies = (document: ReturnType<typeof createDocument>): ReturnType<typeof createDocument> => {
  for (const { post } of Object.values(document.webhooks ?? {})) {
    const response = post?.responses?.[ACKNOWLEDGED];
    if (!post || !response) continue;
    const { content, ...acknowledgement } = response;
    post.requestBody = { required: true, content };
    post.responses = { [ACKNOWLEDGED]: acknowledgement };
  }
  return document;
};
