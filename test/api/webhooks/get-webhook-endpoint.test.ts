import { openTestApi, type TestApi } from '../../support/api.ts';
import { itChecksTheEndpoint, itNeedsTheRightKey, makeEndpoint } from './support.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const endpointCase = { method: 'GET', path: '/webhooks/{id}', scope: 'webhooks:read' } as const;
itNeedsTheRightKey(() => api, endpointCase);
itChecksTheEndpoint(() => api, endpointCase);

it('returns the endpoint without its secret', async () => {
  const { key, id, signingSecret } = await makeEndpoint(api);
  const answer = await api.call('GET', `/webhooks/${id}`, { key });
  expect(answer).toMatchObject({ status: 200, data: { id, status: 'active', secretLastFour: signingSecret.slice(-4) } });
  expect(answer.text).not.toContain(signingSecret);
});
