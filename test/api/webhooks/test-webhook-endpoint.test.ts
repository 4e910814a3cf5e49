import { openTestApi, type TestApi } from '../../support/api.ts';
import { itChecksTheEndpoint, itNeedsTheRightKey, makeEndpoint } from './support.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const endpointCase = { method: 'POST', path: '/webhooks/{id}/test', scope: 'webhooks:write', body: {} } as const;
itNeedsTheRightKey(() => api, endpointCase);
itChecksTheEndpoint(() => api, endpointCase);

it('returns the delivery of an example of the given type, or of the first subscribed one', async () => {
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

it('rejects an unknown type', async () => {
  const { key, id } = await makeEndpoint(api);
  const answer = await api.call('POST', `/webhooks/${id}/test`, { key, body: { type: 'ping' } });
  expect(answer).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'type' }] } } });
});

it('returns 409 while the endpoint is disabled', async () => {
  const { key, id } = await makeEndpoint(api);
  await api.call('POST', `/webhooks/${id}/disable`, { key });
  const answer = await api.call('POST', `/webhooks/${id}/test`, { key });
  expect(answer).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { reason: 'ENDPOINT_DISABLED' } } });
});
