import type { Source } from '../../../src/contracts/affiliates.ts';
import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { forkOf } from '../../../src/platform/database/orm.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';

const api = useTestApi();

const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

const idsOf = (data: { id: string }[]) => data.map((affiliate) => affiliate.id);

interface AffiliateData {
  name?: string;
  email?: string;
  code?: string;
  source?: Source;
  clicks?: number;
  revenue?: number;
}

const join = async (programId: string, data: AffiliateData = {}): Promise<string> => {
  const { name = 'Ada Test', email = `a-${unique()}@example.com`, code, source = 'api', clicks = 0, revenue = 0 } = data;
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const { affiliateId } = await createAffiliate(ctx, { programId, email, name, code, source });
  await execute(
    forkOf(api.runtime.orm),
    sql`update affiliate_totals set clicks = ${clicks}::bigint, revenue = ${revenue}::bigint where affiliate_id = ${affiliateId}::uuid`,
  );
  return affiliateId;
};

const makeOwn = async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  return { key, programId };
};

test('affiliates are listed newest first, as a single affiliate is returned', async () => {
  const { key, programId } = await makeOwn();
  const [first, second] = [await join(programId), await join(programId)];
  const response = await api.call('GET', '/affiliates', { key });
  expect(response.status).toBe(200);
  expect(idsOf(response.data)).toEqual([second, first]);
  const single = (await api.call('GET', `/affiliates/${second}`, { key })).data;
  expect({ ...response.data[0], payoutDetails: null }).toEqual(single);
  expect(response.meta).toEqual({ total: 2, page: 1, pageSize: 20, hasMore: false, requestId: expect.any(String) });
});

test('affiliates of other merchants are not listed, even when filtering by their program', async () => {
  const theirs = await makeOwn();
  await join(theirs.programId);
  const { key } = await makeOwn();
  const nothing = { status: 200, data: [], meta: { total: 0, hasMore: false } };
  expect(await api.call('GET', '/affiliates', { key })).toMatchObject(nothing);
  expect(await api.call('GET', '/affiliates', { key, query: { programId: theirs.programId } })).toMatchObject(nothing);
  expect(await api.call('GET', '/affiliates', { key, query: { programId: MISSING } })).toMatchObject(nothing);
});

test('filters by program', async () => {
  const { key, programId } = await makeOwn();
  const other = await makeProgram(api, key);
  const [mine] = [await join(programId), await join(other.programId)];
  const response = await api.call('GET', '/affiliates', { key, query: { programId } });
  expect(idsOf(response.data)).toEqual([mine]);
  expect(response.meta.total).toBe(1);
});

test('blocked affiliates are excluded by default', async () => {
  const { key, programId } = await makeOwn();
  const [blocked, approved] = [await join(programId), await join(programId)];
  await api.call('POST', `/affiliates/${blocked}/block`, { key });
  const list = async (query: Record<string, string>) => {
    const { data, meta } = await api.call('GET', '/affiliates', { key, query });
    return { ids: idsOf(data), total: meta.total };
  };
  expect(await list({})).toEqual({ ids: [approved], total: 1 });
  expect(await list({ includeBlocked: 'false' })).toEqual({ ids: [approved], total: 1 });
  expect(await list({ includeBlocked: 'true' })).toEqual({ ids: [approved, blocked], total: 2 });
  expect(await list({ status: 'blocked' })).toEqual({ ids: [blocked], total: 1 });
  expect(await list({ status: 'approved', includeBlocked: 'true' })).toEqual({ ids: [approved], total: 1 });
});

test('filters by source', async () => {
  const { key, programId } = await makeOwn();
  const [invited] = [await join(programId, { source: 'invite' }), await join(programId, { source: 'api' })];
  const response = await api.call('GET', '/affiliates', { key, query: { source: 'invite' } });
  expect(idsOf(response.data)).toEqual([invited]);
  expect(response.meta.total).toBe(1);
});

test('a search matches part of the code, name or email, case-insensitively', async () => {
  const { key, programId } = await makeOwn();
  const tag = unique();
  const byCode = await join(programId, { code: `${tag}-code` });
  const byName = await join(programId, { name: `Zoë ${tag.toUpperCase()} Ähre` });
  const byEmail = await join(programId, { email: `x.${tag}@blog.example` });
  await join(programId);
  const found = async (search: string) => idsOf((await api.call('GET', '/affiliates', { key, query: { search } })).data);
  expect(await found(tag.toUpperCase())).toEqual([byEmail, byName, byCode]);
  expect(await found(`${tag}-CO`)).toEqual([byCode]);
  expect(await found('ähre')).toEqual([byName]);
  expect(await found('@Blog.Example')).toEqual([byEmail]);
});

test.each(['email', 'search'])('IN11: a plus sign that is not escaped in ?%s= finds the address', async (parameter) => {
  const { key, programId } = await makeOwn();
  const tag = unique();
  const [tagged] = [await join(programId, { email: `ada+news+${tag}@blog.example`, name: `Ada ${tag}` }), await join(programId)];
  for (const written of [
    `ada+news+${tag}@blog.example`,
    `ada%2Bnews%2B${tag}@blog.example`,
    `Ada%20news%20${tag}%40Blog.example`,
  ]) {
    const { statusCode, body } = await api.app.inject({
      url: `/api/v1/affiliates?${parameter}=${written}`,
      headers: { authorization: `Bearer ${key}` },
    });
    expect([written, statusCode, idsOf(JSON.parse(body).data)]).toEqual([written, 200, [tagged]]);
  }
  const { data } = await api.call('GET', '/affiliates', { key, query: { search: `Ada ${tag}` } });
  expect(idsOf(data)).toEqual([tagged]);
});

test('LIKE wildcards in a search are matched literally', async () => {
  const { key, programId } = await makeOwn();
  const percent = await join(programId, { name: '100% Ada' });
  const underscore = await join(programId, { name: 'Bob', code: `a_${unique()}` });
  const backslash = await join(programId, { name: 'Eve \\ Co' });
  const found = async (search: string) => idsOf((await api.call('GET', '/affiliates', { key, query: { search } })).data);
  expect(await found('%')).toEqual([percent]);
  expect(await found('_')).toEqual([underscore]);
  expect(await found('\\')).toEqual([backslash]);
  expect(await found("' or true --")).toEqual([]);
});

const SORTED = [
  { name: 'anna', clicks: 5, revenue: 300 },
  { name: 'Ben', clicks: 7, revenue: 100 },
  { name: 'carl', clicks: 5, revenue: 200 },
];

describe.each([
  ['name', 'asc', ['anna', 'Ben', 'carl']],
  ['name', 'desc', ['carl', 'Ben', 'anna']],
  ['name', undefined, ['anna', 'Ben', 'carl']],
  ['totalRevenue', 'asc', ['Ben', 'carl', 'anna']],
  ['totalRevenue', undefined, ['anna', 'carl', 'Ben']],
  ['totalClicks', 'asc', ['anna', 'carl', 'Ben']],
  ['totalClicks', 'desc', ['Ben', 'carl', 'anna']],
  ['createdAt', 'asc', ['anna', 'Ben', 'carl']],
  ['createdAt', 'desc', ['carl', 'Ben', 'anna']],
] as const)('sorted by %s %s', (sortBy, sortOrder, names) => {
  let key: string;
  beforeAll(async () => {
    const own = await makeOwn();
    key = own.key;
    for (const data of SORTED) await join(own.programId, data);
  });
  const order: Record<string, string> = { sortBy, ...(sortOrder ? { sortOrder } : {}) };

  test.each([
    ['page and pageSize', (at: number) => ({ page: String(at + 1), pageSize: '1' })],
    ['offset and limit', (at: number) => ({ offset: String(at), limit: '1' })],
  ])('pages by %s are sorted, ties by id', async (_style, queryOf) => {
    const seen: string[] = [];
    for (const at of SORTED.keys()) {
      const { data } = await api.call('GET', '/affiliates', { key, query: { ...order, ...queryOf(at) } });
      seen.push(...data.map((affiliate: { name: string }) => affiliate.name));
    }
    expect(seen).toEqual(names);
  });

  test('pages by cursor are sorted, ties by id', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { ...order, limit: '1', ...(cursor ? { cursor } : {}) };
      const { data, meta } = await api.call('GET', '/affiliates', { key, query });
      seen.push(...data.map((affiliate: { name: string }) => affiliate.name));
      cursor = meta.nextCursor;
    } while (cursor);
    expect(seen).toEqual(names);
  });
});

test('400 for a cursor of another sort order', async () => {
  const { key, programId } = await makeOwn();
  await join(programId);
  await join(programId);
  const { meta } = await api.call('GET', '/affiliates', { key, query: { limit: '1', sortBy: 'name' } });
  const response = await api.call('GET', '/affiliates', {
    key,
    query: { limit: '1', sortBy: 'totalClicks', cursor: meta.nextCursor },
  });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});

test.each<Record<string, string>>([
  { programId: 'acme' },
  { includeBlocked: 'yes' },
  { search: '' },
  { search: 'null \u0000 character' },
  { search: 'x'.repeat(101) },
  { sortBy: 'email' },
  { sortOrder: 'up' },
  { status: 'pending' },
  { source: 'letter' },
  { limit: '101' },
  { colour: 'red' },
])('400 for the query %j', async (query) => {
  const { key } = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/affiliates', { key, query });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});
