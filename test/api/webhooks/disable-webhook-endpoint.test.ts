import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('disables with a time; a second call keeps the first time', async () => {
  const { key, id } = await makeEndpoint(api);
  const first = await api.call('POST', `/webhooks/${id}/disable`, { key });
  expect(first).toMatchObject({ status: 200, data: { id, status: 'disabled', disabledAt: expect.any(String) } });
  expect((await api.call('POST', `/webhooks/${id}/disable`, { key })).data).toEqual(first.data);
});
