import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const idsOf = (data: { id: string }[]) => data.map((program) => program.id);

const makeThree = async (key: string) => {
  const made: string[] = [];
  for (let n = 0; n < 3; n++) made.push((await makeProgram(api, key)).programId);
  return made.toReversed();
};

test('programs are listed newest first, as a single program is returned', async () => {
  const { key } = await makeMerchant(api.runtime);
  const ids = await makeThree(key);
  const response = await api.call('GET', '/programs', { key });
  expect(response.status).toBe(200);
  expect(idsOf(response.data)).toEqual(ids);
  const { readiness, ...single } = (await api.call('GET', `/programs/${ids[0]}`, { key })).data;
  expect(readiness).toBe('partial');
  expect(response.data[0]).toEqual(single);
  expect(response.meta).toEqual({ total: 3, page: 1, pageSize: 20, hasMore: false, requestId: expect.any(String) });
});

test('programs of other merchants are not listed', async () => {
  const other = await makeMerchant(api.runtime);
  await makeProgram(api, other.key);
  const { key } = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/programs', { key });
  expect(response).toMatchObject({ status: 200, data: [], meta: { total: 0, hasMore: false } });
});

test('archived programs are excluded by default and found by status', async () => {
  const { key } = await makeMerchant(api.runtime);
  const [paused, archived, active] = await makeThree(key);
  await api.call('DELETE', `/programs/${archived}`, { key });
  await api.call('PATCH', `/programs/${paused}`, { key, body: { status: 'paused' } });
  const list = async (query: Record<string, string>) => {
    const { data, meta } = await api.call('GET', '/programs', { key, query });
    return { ids: idsOf(data), total: meta.total };
  };
  expect(await list({})).toEqual({ ids: [paused, active], total: 2 });
  expect(await list({ status: 'active' })).toEqual({ ids: [active], total: 1 });
  expect(await list({ status: 'paused' })).toEqual({ ids: [paused], total: 1 });
  expect(await list({ status: 'archived' })).toEqual({ ids: [archived], total: 1 });
});

test.each([
  ['page and pageSize', (page: number) => ({ page: String(page), pageSize: '2' })],
  ['page and limit, as the published client sends them', (page: number) => ({ page: String(page), limit: '2' })],
  ['offset and limit', (page: number) => ({ offset: String((page - 1) * 2), limit: '2' })],
])('pages by %s contain each program once', async (_style, queryOf) => {
  const { key } = await makeMerchant(api.runtime);
  const ids = await makeThree(key);
  const first = await api.call('GET', '/programs', { key, query: queryOf(1) });
  const second = await api.call('GET', '/programs', { key, query: queryOf(2) });
  expect(idsOf([...first.data, ...second.data])).toEqual(ids);
  expect(first.meta).toMatchObject({ total: 3, page: 1, pageSize: 2, hasMore: true });
  expect(second.meta).toMatchObject({ total: 3, page: 2, pageSize: 2, hasMore: false });
  expect(second.meta).not.toHaveProperty('nextCursor');
});

test('pages by cursor are stable while programs are created', async () => {
  const { key } = await makeMerchant(api.runtime);
  const ids = await makeThree(key);
  const first = await api.call('GET', '/programs', { key, query: { limit: '2' } });
  await makeProgram(api, key);
  const second = await api.call('GET', '/programs', { key, query: { limit: '2', cursor: first.meta.nextCursor } });
  expect(idsOf([...first.data, ...second.data])).toEqual(ids);
});

test("400 for another merchant's cursor", async () => {
  const theirs = await makeMerchant(api.runtime);
  await makeThree(theirs.key);
  const { meta } = await api.call('GET', '/programs', { key: theirs.key, query: { limit: '1' } });
  const mine = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/programs', { key: mine.key, query: { cursor: meta.nextCursor } });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});

test.each<Record<string, string>>([
  { status: 'deleted' },
  { status: '' },
  { limit: '0' },
  { limit: '101' },
  { limit: 'ten' },
  { page: '0' },
  { offset: '-1' },
  { pageSize: '2', limit: '2' },
  { offset: '2', page: '1' },
  { cursor: 'made-up' },
  { sort: 'name' },
])('400 for the query %j', async (query) => {
  const { key } = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/programs', { key, query });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});
