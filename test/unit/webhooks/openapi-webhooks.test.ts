import { createOpenApi } from '../../../src/api/openapi.ts';
import { OPERATIONS } from '../../../src/api/routes.ts';
import { WEBHOOK_EVENTS } from '../../../src/api/webhook-events.ts';
import { ALL_EVENT_TYPES } from '../../../src/contracts/events.ts';

const { webhooks = {}, components } = createOpenApi(OPERATIONS);

test('OpenAPI documents each event type', () => {
  expect(Object.keys(webhooks)).toEqual([...ALL_EVENT_TYPES]);
});

test.each(ALL_EVENT_TYPES)('OpenAPI documents the headers, envelope and example of %s', (type) => {
  expect(webhooks[type]?.post).toMatchObject({
    parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({ in: 'header', name, required: true })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            properties: { type: { const: type }, data: { $ref: expect.stringMatching(/^#\/components\/schemas\/\w+$/) } },
          },
          example: { type, schemaVersion: 2, data: WEBHOOK_EVENTS[type].example },
        },
      },
    },
    responses: { '2XX': { description: expect.any(String) } },
  });
});

test('events and responses share the schemas of resources', () => {
  expect(Object.keys(components?.schemas ?? {}).filter((name) => name.endsWith('Output'))).toEqual([]);
});
