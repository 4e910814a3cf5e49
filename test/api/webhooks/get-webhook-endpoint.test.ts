import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('answers the endpoint without its secret', async () => {
  const { key, id, signingSecret } = await makeEndpoint(api);
  const answer = await api.call('GET', `/webhooks/${id}`, { key });
  expect(answer).toMatchObject({ status: 200, data: { id, status: 'active', secretLastFour: signingSecret.slice(-4) } });
  expect(answer.text).not.toContain(signingSecret);
});
