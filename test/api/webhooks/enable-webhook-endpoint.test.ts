import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('makes a disabled endpoint active; a second call changes nothing', async () => {
  const { key, id } = await makeEndpoint(api);
  await api.call('POST', `/webhooks/${id}/disable`, { key });
  const first = await api.call('POST', `/webhooks/${id}/enable`, { key });
  expect(first).toMatchObject({ status: 200, data: { id, status: 'active', disabledAt: null } });
  expect((await api.call('POST', `/webhooks/${id}/enable`, { key })).data).toEqual(first.data);
});
