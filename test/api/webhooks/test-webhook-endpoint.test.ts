import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('returns the delivery of an example event of the given type, or of the first subscribed one', async () => {
  const { key, id } = await makeEndpoint(api);
  const named = await api.call('POST', `/webhooks/${id}/test`, { key, body: { type: 'flag.resolved' } });
  expect(named).toMatchObject({
    status: 200,
    data: { endpointId: id, eventType: 'flag.resolved', trigger: 'test', status: 'pending', attemptCount: 0, attempts: [] },
  });
  const plain = await api.call('POST', `/webhooks/${id}/test`, { key });
  expect(plain.data).toMatchObject({ eventType: 'payout.completed', trigger: 'test' });
  expect(plain.data.eventId).not.toBe(named.data.eventId);
});

it('accepts only the published event types', async () => {
  const { key, id } = await makeEndpoint(api);
  const response = await api.call('POST', `/webhooks/${id}/test`, { key, body: { type: 'ping' } });
  expect(response).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'type' }] } } });
});

it('responds 409 while the endpoint is disabled', async () => {
  const { key, id } = await makeEndpoint(api);
  await api.call('POST', `/webhooks/${id}/disable`, { key });
  const response = await api.call('POST', `/webhooks/${id}/test`, { key });
  expect(response).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { reason: 'ENDPOINT_DISABLED' } } });
});
