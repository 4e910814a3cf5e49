import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('returns the defaults of a new endpoint', async () => {
  const { key, id } = await makeEndpoint(api);
  const response = await api.call('GET', `/webhooks/${id}/settings`, { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    endpointId: id,
    headers: {},
    maxInFlight: 32,
    ratePerSecond: null,
    rotationOverlapHours: 24,
    extendedEvents: [],
  });
});

it('responds 404 for a deleted endpoint', async () => {
  const { key, id } = await makeEndpoint(api);
  await api.call('DELETE', `/webhooks/${id}`, { key });
  expect(await api.call('GET', `/webhooks/${id}/settings`, { key })).toMatchObject({ status: 404 });
});
