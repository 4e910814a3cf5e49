import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { addEndpoint, makeEndpoint } from './support.ts';

const api = useTestApi();

it('answers a plain array, newest first, of the caller alone', async () => {
  const { key, id } = await makeEndpoint(api);
  const second = await addEndpoint(api, key);
  await makeEndpoint(api);
  const answer = await api.call('GET', '/webhooks', { key });
  expect(answer.status).toBe(200);
  expect(answer.data.map((endpoint: { id: string }) => endpoint.id)).toEqual([second.id, id]);
  expect(answer.meta).toEqual({ requestId: expect.any(String) });
});

it('filters by program; a missing or foreign program has no endpoints', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const bound = await addEndpoint(api, key, { programId });
  await addEndpoint(api, key);
  const stranger = await makeMerchant(api.runtime);
  const list = async (by: string, caller = key) =>
    (await api.call('GET', '/webhooks', { key: caller, query: { programId: by } })).data;
  expect(await list(programId)).toMatchObject([{ id: bound.id, programId }]);
  expect(await list(randomUUID())).toEqual([]);
  expect(await list(programId, stranger.key)).toEqual([]);
  expect(await api.call('GET', '/webhooks', { key, query: { programId: 'x' } })).toMatchObject({ status: 400 });
  expect(await api.call('GET', '/webhooks', { key, query: { program: programId } })).toMatchObject({ status: 400 });
});
