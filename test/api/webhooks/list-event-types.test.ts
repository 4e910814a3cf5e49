import { WEBHOOK_EVENTS } from '../../../src/api/webhook-events.ts';
import { ALL_EVENT_TYPES, type EventType } from '../../../src/contracts/events.ts';
import { envelopeExample } from '../../../src/domains/webhooks/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

interface Listed {
  type: EventType;
  resource: string;
  description: string;
  example: { type: string; data: unknown };
}

it('lists every event type with its resource, its description and the documented example', async () => {
  const { key } = await makeEndpoint(api);
  const { status, data } = await api.call('GET', '/event-types', { key });
  expect([status, data.map(({ type }: Listed) => type)]).toEqual([200, [...ALL_EVENT_TYPES]]);
  for (const { type, resource, description, example } of data as Listed[]) {
    const documented = WEBHOOK_EVENTS[type];
    expect({ description, example }).toEqual({
      description: documented.description,
      example: envelopeExample(type, documented.example),
    });
    expect([type.split('.')[0], example.type]).toEqual([resource, type]);
  }
});

it('shows the example that a test delivery sends', async () => {
  const { key, id } = await makeEndpoint(api, { subscribedEvents: ['payout.failed'] });
  const { data } = await api.call('GET', '/event-types', { key });
  const { data: sent } = await api.call('POST', `/webhooks/${id}/test`, { key });
  const shown = data.find(({ type }: Listed) => type === sent.eventType);
  expect(shown.example.data).toEqual(WEBHOOK_EVENTS['payout.failed'].example);
});

it('takes no parameters', async () => {
  const { key, merchantId } = await makeEndpoint(api);
  expect(await api.call('GET', '/event-types', { key, query: { type: 'payout.failed' } })).toMatchObject({ status: 400 });
  const { key: other } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['webhooks:write'] });
  expect(await api.call('GET', '/event-types', { key: other })).toMatchObject({ status: 403 });
});
