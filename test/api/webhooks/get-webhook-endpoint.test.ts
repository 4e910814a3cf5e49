import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('returns the endpoint without its secret', async () => {
  const { key, id, signingSecret } = await makeEndpoint(api);
  const response = await api.call('GET', `/webhooks/${id}`, { key });
  expect(response).toMatchObject({ status: 200, data: { id, status: 'active', secretLastFour: signingSecret.slice(-4) } });
  expect(response.text).not.toContain(signingSecret);
});
