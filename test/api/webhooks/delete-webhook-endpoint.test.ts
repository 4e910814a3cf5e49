import { useTestApi } from '../../support/api.ts';
import { callOperation, table, withId } from '../pipeline/support.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

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

it.each(table(withId.filter((op) => op.path.startsWith('/webhooks/'))))('%s is 404 for a deleted endpoint', async (_name, op) => {
  const { key, id } = await makeEndpoint(api);
  await api.call('DELETE', `/webhooks/${id}`, { key });
  expect(await callOperation(api, op, { key, id })).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
});
