import { OPERATIONS } from '../../../src/api/routes.ts';
import { type TestResponse, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { callOperation, makeOwner, ownerTypeOf, problemsOf, sharedObjects } from './support.ts';

const api = useTestApi();
let key: string;
let newestFirst: string[];
beforeAll(async () => {
  ({ key } = await makeMerchant(api.runtime));
  for (let made = 0; made < 7; made++) await addProgram();
  const { data } = await api.call('GET', '/programs', { key, query: { limit: '100' } });
  newestFirst = data.map((program: { id: string }) => program.id);
});

const addProgram = async (more: object = {}): Promise<string> => {
  const body = { name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10, ...more };
  return (await api.call('POST', '/programs', { key, body })).data.id;
};

const page = async (query: Record<string, string>, path = '/programs'): Promise<TestResponse> =>
  api.call('GET', path, { key, query });
const idsOf = (response: TestResponse): string[] => response.data.map((item: { id: string }) => item.id);

type Next = (response: TestResponse, seen: number) => Record<string, string>;
const STYLES: [string, Record<string, string>, Next][] = [
  ['cursor + limit', { limit: '2' }, ({ meta }) => ({ limit: '2', cursor: meta.nextCursor })],
  ['offset + limit', { limit: '2', offset: '0' }, (_response, seen) => ({ limit: '2', offset: String(seen) })],
  ['page + pageSize', { page: '1', pageSize: '2' }, ({ meta }) => ({ page: String(meta.page + 1), pageSize: '2' })],
  [
    'page + limit, as the published client sends',
    { page: '1', limit: '2' },
    ({ meta }) => ({ page: String(meta.page + 1), limit: '2' }),
  ],
];

const walk = async (first: Record<string, string>, next: Next, between: (pages: number) => Promise<unknown> = async () => {}) => {
  const pages: TestResponse[] = [];
  const seen: string[] = [];
  for (let query = first; ; query = next(pages.at(-1) as TestResponse, seen.length)) {
    const response = await page(query);
    expect(response.status).toBe(200);
    pages.push(response);
    seen.push(...idsOf(response));
    if (!response.meta.hasMore) return { pages, seen };
    await between(pages.length);
  }
};

describe('a list of seven in pages of two', () => {
  it.each(STYLES)('%s returns all items once, newest first', async (_name, first, next) => {
    const { pages, seen } = await walk(first, next);
    expect(seen).toEqual(newestFirst);
    expect(pages.map(({ meta }) => meta.hasMore)).toEqual([true, true, true, false]);
    for (const { meta } of pages) {
      expect(meta).toMatchObject({ total: 7, pageSize: 2, requestId: expect.any(String) });
      expect(typeof meta.nextCursor).toBe(meta.hasMore ? 'string' : 'undefined');
      expect(meta.totalCapped).toBeUndefined();
    }
  });

  it.each(STYLES.slice(1))('%s numbers its pages', async (_name, first, next) => {
    const { pages } = await walk(first, next);
    expect(pages.map(({ meta }) => meta.page)).toEqual([1, 2, 3, 4]);
  });

  it('the cursor of any page continues a list of another style', async () => {
    const second = await page({ page: '2', limit: '2' });
    const third = await page({ cursor: second.meta.nextCursor, limit: '3' });
    expect(idsOf(third)).toEqual(newestFirst.slice(4));
  });

  it('the list is sorted newest first by time, then by id', async () => {
    const { data } = await page({});
    const keys = data.map(({ createdAt, id }: { createdAt: string; id: string }) => `${createdAt} ${id}`);
    expect(keys).toEqual([...keys].sort().reverse());
  });

  it('the default page size is twenty', async () => {
    expect((await page({})).meta).toMatchObject({ total: 7, page: 1, pageSize: 20, hasMore: false });
  });

  it.each<Record<string, string>>([
    { page: '5', limit: '2' },
    { offset: '7' },
    { page: '1000000', pageSize: '100' },
    { offset: '10000000' },
  ])('beyond its end (%j) it is an empty page with the right total', async (query) => {
    expect(await page(query)).toMatchObject({ status: 200, data: [], meta: { total: 7, hasMore: false } });
  });

  it('a full last page has no next page', async () => {
    expect((await page({ limit: '7' })).meta).toMatchObject({ hasMore: false, total: 7 });
    expect((await page({ limit: '6' })).meta.hasMore).toBe(true);
  });
});

test('rows created during cursor pagination neither repeat nor hide others', async () => {
  const before = [...newestFirst];
  const added: string[] = [];
  const [, first, next] = STYLES[0] ?? [];
  const { seen, pages } = await walk(first ?? {}, next as Next, async () => added.push(await addProgram()));
  expect(seen).toEqual(before);
  expect(pages.map(({ meta }) => meta.total)).toEqual([7, 8, 9, 10]);
  newestFirst = [...added.reverse(), ...before];
  expect(idsOf(await page({ limit: '100' }))).toEqual(newestFirst);
});

test('the total counts filtered rows', async () => {
  const { key: other } = await makeMerchant(api.runtime);
  const ids = [];
  for (let made = 0; made < 3; made++) ids.push((await makeProgram(api, other)).programId);
  await api.call('PATCH', `/programs/${ids[0]}`, { key: other, body: { status: 'paused' } });
  await api.call('DELETE', `/programs/${ids[1]}`, { key: other });
  const totalOf = async (query: Record<string, string>) => (await api.call('GET', '/programs', { key: other, query })).meta.total;
  expect([
    await totalOf({}),
    await totalOf({ status: 'active' }),
    await totalOf({ status: 'paused' }),
    await totalOf({ status: 'archived' }),
  ]).toEqual([2, 1, 1, 1]);
});

const PAGED = OPERATIONS.filter((op) => op.paged === true);
const INVALID: Record<string, string>[] = [
  { limit: '0' },
  { limit: '-1' },
  { limit: '1.5' },
  { pageSize: '0' },
  { page: '0' },
  { offset: '-1' },
  { limit: '5', pageSize: '5' },
  { cursor: 'x', page: '1' },
  { cursor: 'x', pageSize: '5' },
  { cursor: 'x', offset: '0' },
  { offset: '0', page: '1' },
  { offset: '0', pageSize: '5' },
  { cursor: '' },
  { cursor: 'nonsense' },
  { cursor: 'a.b' },
  { cursor: 'x'.repeat(600) },
];

test('every list refuses limits outside its own, mixed styles, invalid cursors and the cursor of another list', async () => {
  const ofPrograms = (await page({ limit: '1' })).meta.nextCursor;
  const ofKeys = (await apiKeysPage()).meta.nextCursor;
  const sharedObject = sharedObjects(api);
  const affiliate = makeOwner(api, 'affiliate');
  const problems = await problemsOf(PAGED, async (op) => {
    const isOwn = !op.path.includes('{id}') && ownerTypeOf(op) === 'merchant';
    const own = isOwn ? { key } : op.path.includes('{id}') ? await sharedObject(op) : await affiliate;
    const list = (query: Record<string, string>) => callOperation(api, op, { ...own, query });
    const most = op.id === 'listMarketplacePrograms' ? 50 : 100;
    const found: string[] = [];
    const cursor = op.path === '/programs' ? ofKeys : ofPrograms;
    for (const query of [...INVALID, { limit: String(most + 1) }, { pageSize: String(most + 1) }, { cursor }]) {
      const { status, error } = await list(query);
      if (status !== 400 || error?.details?.issues.length !== 1) found.push(`${JSON.stringify(query)}: ${status}`);
    }
    for (const limit of ['1', String(most)]) {
      const { status } = await list({ limit });
      if (status !== 200) found.push(`a limit of ${limit}: ${status}`);
    }
    return found;
  });
  expect(problems).toEqual([]);
});

const apiKeysPage = async (): Promise<TestResponse> => {
  for (const name of ['a', 'b']) await api.call('POST', '/auth/keys', { key, body: { name, preset: 'readonly' } });
  return page({ limit: '1' }, '/auth/keys');
};

describe('cursors', () => {
  it("another owner's cursor, and every altered one, is 400", async () => {
    const { meta } = await page({ limit: '1' });
    const cursor: string = meta.nextCursor;
    const { key: other } = await makeMerchant(api.runtime);
    expect(await api.call('GET', '/programs', { key: other, query: { cursor } })).toMatchObject({ status: 400 });
    const flip = (at: number) => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
    const forged = [...cursor]
      .map((_, at) => flip(at))
      .concat(`${cursor}A`, cursor.slice(0, -1), cursor.split('.')[0] ?? '', `${cursor}.x`);
    const accepted: string[] = [];
    for (const text of forged) if ((await page({ cursor: text })).status !== 400) accepted.push(text);
    expect(accepted).toEqual([]);
    expect((await page({ cursor })).status).toBe(200);
  });

  it('a cursor is only valid for its own sort order', async () => {
    const merchant = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, merchant.key);
    for (let made = 0; made < 3; made++) await makeAffiliate(api.runtime, programId);
    const list = (query: Record<string, string>) => api.call('GET', '/affiliates', { key: merchant.key, query });
    const { meta } = await list({ limit: '1', sortBy: 'name' });
    expect(await list({ cursor: meta.nextCursor, sortBy: 'totalClicks' })).toMatchObject({ status: 400 });
    expect(await list({ cursor: meta.nextCursor, sortBy: 'name', sortOrder: 'desc' })).toMatchObject({ status: 400 });
    expect(await list({ cursor: meta.nextCursor, sortBy: 'name' })).toMatchObject({ status: 200 });
  });
});
