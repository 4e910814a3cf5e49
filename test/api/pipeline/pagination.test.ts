import { OPERATIONS } from '../../../src/api/routes.ts';
import { type TestResponse, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { callOperation, makerOf, table } from './support.ts';

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
const idsOf = (answer: TestResponse): string[] => answer.data.map((item: { id: string }) => item.id);

type Next = (answer: TestResponse, seen: number) => Record<string, string>;
const STYLES: [string, Record<string, string>, Next][] = [
  ['cursor + limit', { limit: '2' }, ({ meta }) => ({ limit: '2', cursor: meta.nextCursor })],
  ['offset + limit', { limit: '2', offset: '0' }, (_answer, seen) => ({ limit: '2', offset: String(seen) })],
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
    const answer = await page(query);
    expect(answer.status).toBe(200);
    pages.push(answer);
    seen.push(...idsOf(answer));
    if (!answer.meta.hasMore) return { pages, seen };
    await between(pages.length);
  }
};

describe('a list of seven in pages of two', () => {
  it.each(STYLES)('%s walks through all of it, newest first, each once', async (_name, first, next) => {
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

  it('styles can be changed on the way by the cursor of any page', async () => {
    const second = await page({ page: '2', limit: '2' });
    const third = await page({ cursor: second.meta.nextCursor, limit: '3' });
    expect(idsOf(third)).toEqual(newestFirst.slice(4));
  });

  it('is newest first by time, then by id', async () => {
    const { data } = await page({});
    const keys = data.map(({ createdAt, id }: { createdAt: string; id: string }) => `${createdAt} ${id}`);
    expect(keys).toEqual([...keys].sort().reverse());
  });

  it('without parameters shows twenty at most', async () => {
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

  it('its last page, when full, knows that it is the last', async () => {
    expect((await page({ limit: '7' })).meta).toMatchObject({ hasMore: false, total: 7 });
    expect((await page({ limit: '6' })).meta.hasMore).toBe(true);
  });
});

test('rows that come while a cursor walks neither repeat nor hide what was there', async () => {
  const before = [...newestFirst];
  const added: string[] = [];
  const [, first, next] = STYLES[0] ?? [];
  const { seen, pages } = await walk(first ?? {}, next as Next, async () => added.push(await addProgram()));
  expect(seen).toEqual(before);
  expect(pages.map(({ meta }) => meta.total)).toEqual([7, 8, 9, 10]);
  newestFirst = [...added.reverse(), ...before];
  expect(idsOf(await page({ limit: '100' }))).toEqual(newestFirst);
});

test('the total counts what the filter lets through', async () => {
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

const paged = table(OPERATIONS.filter((op) => op.paged));
const INVALID: Record<string, string>[] = [
  { limit: '0' },
  { limit: '101' },
  { limit: '-1' },
  { limit: '1.5' },
  { pageSize: '0' },
  { pageSize: '101' },
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

describe.each(paged)('%s', (_name, op) => {
  const own = async () => (op.path.includes('{id}') ? makerOf(op)(api) : { id: undefined, key });

  it('refuses limits outside 1 to 100, mixed styles and made-up cursors with 400', async () => {
    const { id, key: ownKey } = await own();
    for (const query of INVALID) {
      const answer = await callOperation(api, op, { id, key: ownKey, query });
      expect({ query, answer }).toMatchObject({
        query,
        answer: { status: 400, error: { code: 'BAD_REQUEST', details: { issues: [{}] } } },
      });
    }
    for (const limit of ['1', '100'])
      expect(await callOperation(api, op, { id, key: ownKey, query: { limit } })).toMatchObject({ status: 200 });
  });

  it('has no use for the cursor of another list', async () => {
    const { meta } = op.path === '/programs' ? await apiKeysPage() : await page({ limit: '1' });
    const { id, key: ownKey } = await own();
    expect(await callOperation(api, op, { id, key: ownKey, query: { cursor: meta.nextCursor } })).toMatchObject({ status: 400 });
  });
});

const apiKeysPage = async (): Promise<TestResponse> => {
  for (const name of ['a', 'b']) await api.call('POST', '/auth/keys', { key, body: { name, preset: 'readonly' } });
  return page({ limit: '1' }, '/auth/keys');
};

describe('cursors', () => {
  it("somebody else's, and every changed one, is 400", async () => {
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

  it('one order’s cursor does not open another order', async () => {
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
