import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('returns what was started, also after the endpoint is deleted; another merchant gets 403', async () => {
  const { key, id } = await makeEndpoint(api);
  const since = new Date(Date.now() - 60_000).toISOString();
  const { data: started } = await api.call('POST', `/webhooks/${id}/replay`, { key, body: { since } });
  const read = (as: string) => api.call('GET', `/webhook-replays/${started.id}`, { key: as });
  expect(await read(key)).toMatchObject({ status: 200, data: started });
  await api.call('DELETE', `/webhooks/${id}`, { key });
  expect((await read(key)).data).toEqual(started);
  expect((await read((await makeMerchant(api.runtime)).key)).status).toBe(403);
  expect((await api.call('GET', `/webhook-replays/${randomUUID()}`, { key })).status).toBe(404);
});
