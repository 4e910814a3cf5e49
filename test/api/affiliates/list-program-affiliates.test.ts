import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

const idsOf = (data: { id: string }[]) => data.map((affiliate) => affiliate.id);

test('lists the affiliates of the program, newest first', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const other = await makeProgram(api, key);
  const first = await makeAffiliate(api.runtime, programId);
  const second = await makeAffiliate(api.runtime, programId);
  await makeAffiliate(api.runtime, other.programId);
  const response = await api.call('GET', `/programs/${programId}/affiliates`, { key });
  expect(response).toMatchObject({ status: 200, meta: { total: 2, page: 1, pageSize: 20, hasMore: false } });
  expect(idsOf(response.data)).toEqual([second.affiliateId, first.affiliateId]);
  const single = (await api.call('GET', `/affiliates/${second.affiliateId}`, { key })).data;
  expect({ ...response.data[0], payoutDetails: null }).toEqual(single);
});

test('blocked affiliates are excluded by default', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  const list = (query: Record<string, string>) => api.call('GET', `/programs/${programId}/affiliates`, { key, query });
  expect(await list({})).toMatchObject({ status: 200, data: [], meta: { total: 0 } });
  expect(idsOf((await list({ includeBlocked: 'true' })).data)).toEqual([affiliateId]);
});

test('filters by source', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const list = (source: string) => api.call('GET', `/programs/${programId}/affiliates`, { key, query: { source } });
  expect(idsOf((await list('api')).data)).toEqual([affiliateId]);
  expect((await list('invite')).data).toEqual([]);
});

test('pages by cursor contain each affiliate once', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const members: string[] = [];
  for (let n = 0; n < 3; n++) members.push((await makeAffiliate(api.runtime, programId)).affiliateId);
  const path = `/programs/${programId}/affiliates`;
  const first = await api.call('GET', path, { key, query: { limit: '2' } });
  const second = await api.call('GET', path, { key, query: { limit: '2', cursor: first.meta.nextCursor } });
  expect(idsOf([...first.data, ...second.data])).toEqual(members.toReversed());
});

test("another merchant's program with affiliates is 403", async () => {
  const mine = await makeMerchant(api.runtime);
  const theirs = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, theirs.key);
  await makeAffiliate(api.runtime, programId);
  expect(await api.call('GET', `/programs/${programId}/affiliates`, { key: mine.key })).toMatchObject({
    status: 403,
    data: undefined,
    error: { code: 'FORBIDDEN' },
  });
});

test.each<Record<string, string>>([{ includeBlocked: '1' }, { source: 'letter' }, { programId: MISSING }, { limit: '0' }])(
  '400 for the query %j',
  async (query) => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const response = await api.call('GET', `/programs/${programId}/affiliates`, { key, query });
    expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  },
);
