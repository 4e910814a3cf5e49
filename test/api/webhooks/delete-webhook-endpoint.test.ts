import { openTestApi, type TestApi } from '../../support/api.ts';
import { itChecksTheEndpoint, itNeedsTheRightKey, makeEndpoint } from './support.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const endpointCase = { method: 'DELETE', path: '/webhooks/{id}', scope: 'webhooks:write' } as const;
itNeedsTheRightKey(() => api, endpointCase);
itChecksTheEndpoint(() => api, endpointCase);

it('deletes the endpoint and keeps its deliveries readable', async () => {
  const { key, id } = await makeEndpoint(api);
  const { data: delivery } = await api.call('POST', `/webhooks/${id}/test`, { key });
  expect(await api.call('DELETE', `/webhooks/${id}`, { key })).toMatchObject({ status: 200, data: { success: true } });
  expect((await api.call('GET', '/webhooks', { key })).data).toEqual([]);
  expect(await api.call('GET', `/webhook-deliveries/${delivery.id}`, { key })).toMatchObject({
    status: 200,
    data: { endpointId: id },
  });
});
