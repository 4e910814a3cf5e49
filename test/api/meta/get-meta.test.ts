import { EVENT_TYPES } from '../../../src/contracts/events.ts';
import { useTestApi } from '../../support/api.ts';

const api = useTestApi();

it('200 without a key: version, event types and scopes', async () => {
  const response = await api.call('GET', '/meta');
  expect(response.status).toBe(200);
  expect(response.data).toMatchObject({
    name: 'Tributary',
    apiVersion: '1.0.0',
    webhookSchemaVersion: 2,
    eventTypes: [...EVENT_TYPES],
  });
  expect(response.data.scopes.merchant).toHaveLength(19);
  expect(response.data.scopes.affiliate).toHaveLength(12);
});

it('400 for a query parameter', async () => {
  expect((await api.call('GET', '/meta', { query: { a: '1' } })).status).toBe(400);
});

it('serves the OpenAPI document, a docs page without third-party requests, and health', async () => {
  const document = await api.raw('GET', '/api/v1/openapi.json', {});
  expect(JSON.parse(document.text)).toMatchObject({ openapi: '3.1.0' });
  expect((await api.raw('GET', '/health/live', {})).status).toBe(200);
  expect(JSON.parse((await api.raw('GET', '/health/ready', {})).text)).toEqual({
    status: 'ready',
    postgres: true,
    redis: true,
    degraded: [],
  });
  const page = await api.raw('GET', '/docs/', {});
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/(?:src|href)="https?:\/\//);
});
