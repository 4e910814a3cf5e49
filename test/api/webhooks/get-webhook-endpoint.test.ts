import { useTestApi } from '../../support/api.ts';
import { itChecksTheEndpoint, itNeedsTheRightKey, makeEndpoint } from './support.ts';

const api = useTestApi();

const door = { method: 'GET', path: '/webhooks/{id}', scope: 'webhooks:read' } as const;
itNeedsTheRightKey(() => api, door);
itChecksTheEndpoint(() => api, door);

it('answers the endpoint without its secret', async () => {
  const { key, id, signingSecret } = await makeEndpoint(api);
  const answer = await api.call('GET', `/webhooks/${id}`, { key });
  expect(answer).toMatchObject({ status: 200, data: { id, status: 'active', secretLastFour: signingSecret.slice(-4) } });
  expect(answer.text).not.toContain(signingSecret);
});
