import { useTestApi } from '../../support/api.ts';
import { itChecksTheEndpoint, itNeedsTheRightKey, makeEndpoint } from './support.ts';

const api = useTestApi();

const door = { method: 'DELETE', path: '/webhooks/{id}', scope: 'webhooks:write' } as const;
itNeedsTheRightKey(() => api, door);
itChecksTheEndpoint(() => api, door);

it('answers success, takes the endpoint away and keeps its deliveries readable', async () => {
  const { key, id } = await makeEndpoint(api);
  const { data: delivery } = await api.call('POST', `/webhooks/${id}/test`, { key });
  expect(await api.call('DELETE', `/webhooks/${id}`, { key })).toMatchObject({ status: 200, data: { success: true } });
  expect((await api.call('GET', '/webhooks', { key })).data).toEqual([]);
  expect(await api.call('GET', `/webhook-deliveries/${delivery.id}`, { key })).toMatchObject({
    status: 200,
    data: { endpointId: id },
  });
});
