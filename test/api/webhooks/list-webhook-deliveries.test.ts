import { useTestApi } from '../../support/api.ts';
import { addEndpoint, makeEndpoint } from './support.ts';

const api = useTestApi();

const list = (key: string, id: string, query: Record<string, string> = {}) =>
  api.call('GET', `/webhooks/${id}/deliveries`, { key, query });

it('pages the deliveries of this endpoint, newest first', async () => {
  const { key, id } = await makeEndpoint(api);
  const other = await addEndpoint(api, key);
  await api.call('POST', `/webhooks/${other.id}/test`, { key });
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) made.unshift((await api.call('POST', `/webhooks/${id}/test`, { key })).data.id);

  const first = await list(key, id, { limit: '2' });
  expect(first).toMatchObject({ status: 200, meta: { total: 5, pageSize: 2, hasMore: true, nextCursor: expect.any(String) } });
  const second = await list(key, id, { limit: '2', cursor: first.meta.nextCursor });
  const third = await list(key, id, { limit: '2', cursor: second.meta.nextCursor });
  const seen = [first, second, third].flatMap((page) => page.data.map((delivery: { id: string }) => delivery.id));
  expect(seen).toEqual(made);
  expect(third.meta).toMatchObject({ hasMore: false });
  expect(first.data[0]).not.toHaveProperty('attempts');
  expect(await list(key, other.id, { cursor: first.meta.nextCursor })).toMatchObject({ status: 400 });
});

it('filters by status and refuses a status that does not exist', async () => {
  const { key, id } = await makeEndpoint(api);
  await api.call('POST', `/webhooks/${id}/test`, { key });
  expect(await list(key, id, { status: 'pending' })).toMatchObject({ data: [{ status: 'pending' }], meta: { total: 1 } });
  expect(await list(key, id, { status: 'succeeded' })).toMatchObject({ data: [], meta: { total: 0, hasMore: false } });
  expect(await list(key, id, { status: 'lost' })).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  expect(await list(key, id, { limit: '101' })).toMatchObject({ status: 400 });
});
