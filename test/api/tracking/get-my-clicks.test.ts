import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { system } from '../pipeline/support.ts';
import { click, makeShop } from './support.ts';

const api = useTestApi();
const em = () => api.runtime.context(system).em;

const keyOf = async (profileId: string): Promise<string> =>
  (await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate', scopes: ['stats:read'] })).key;

const counted = (affiliateId: string, day: string, code: string, source: string, clicks: number, shard = 0) =>
  execute(
    em(),
    sql`insert into click_count values (${affiliateId}::uuid, ${day}::date, ${code}, ${source}, ${shard}::smallint, ${clicks})`,
  );

it('200: clicks by link, day and source, of all shards', async () => {
  const shop = await makeShop(api);
  const { affiliateId, code } = shop;
  await counted(affiliateId, '2026-01-10', code, 'ads', 3);
  await counted(affiliateId, '2026-01-10', code, 'ads', 4, 1);
  await counted(affiliateId, '2026-01-11', 'news', 'direct', 5);
  await counted(affiliateId, '2025-12-31', code, 'ads', 100);
  await counted(affiliateId, '2026-02-01', code, 'ads', 100);
  const query = { startDate: '2026-01-01', endDate: '2026-01-31T23:00:00Z' };
  const key = await keyOf(shop.profileId);
  const [first] = (await api.call('GET', `/affiliates/${affiliateId}/links`, { key: shop.key })).data;
  const response = await api.call('GET', '/me/clicks', { key, query });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    totalClicks: 12,
    startDate: '2026-01-01',
    endDate: '2026-01-31',
    byLink: [
      { linkId: first.id, name: 'Default link', code, clicks: 7 },
      { linkId: null, name: null, code: 'news', clicks: 5 },
    ],
    byDay: [
      { day: '2026-01-10', clicks: 7 },
      { day: '2026-01-11', clicks: 5 },
    ],
    bySource: [
      { source: 'ads', clicks: 7 },
      { source: 'direct', clicks: 5 },
    ],
  });
});

it('a click is told at once', async () => {
  const shop = await makeShop(api);
  await click(api, shop);
  const { data } = await api.call('GET', '/me/clicks', { key: await keyOf(shop.profileId) });
  expect(data.byLink).toMatchObject([{ name: 'Default link', code: shop.code, clicks: 1 }]);
  expect(data.byDay).toEqual([{ day: data.endDate, clicks: 1 }]);
});

it('program_id restricts to one program; there are no clicks in programs of others and unknown ones', async () => {
  const own = await makeShop(api);
  const other = await makeShop(api);
  await click(api, own);
  await click(api, other);
  const key = await keyOf(own.profileId);
  const totalIn = async (query: Record<string, string>): Promise<number> =>
    (await api.call('GET', '/me/clicks', { key, query })).data.totalClicks;
  expect(await totalIn({})).toBe(1);
  expect(await totalIn({ program_id: own.programId })).toBe(1);
  expect(await totalIn({ program_id: other.programId })).toBe(0);
  expect(await totalIn({ program_id: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604' })).toBe(0);
});

it('200: zeros before the first click, for the last 30 days', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const { data } = await api.call('GET', '/me/clicks', { key: await keyOf(profileId) });
  expect(data).toMatchObject({ totalClicks: 0, byLink: [], byDay: [], bySource: [] });
  expect(Date.parse(data.endDate) - Date.parse(data.startDate)).toBe(29 * 86_400_000);
});

it('the links and sources with the most clicks are shown, 100 of each', async () => {
  const shop = await makeShop(api);
  await em().execute(`insert into click_count select '${shop.affiliateId}', '2026-03-01', 'code-' || n, 'source-' || n, 0, n
    from generate_series(1, 150) as n`);
  const query = { startDate: '2026-03-01', endDate: '2026-03-01' };
  const { data } = await api.call('GET', '/me/clicks', { key: await keyOf(shop.profileId), query });
  expect(data.totalClicks).toBe((150 * 151) / 2);
  expect([data.byLink.length, data.byLink[0].clicks, data.byLink[99].clicks]).toEqual([100, 150, 51]);
  expect([data.bySource.length, data.bySource[0].source]).toEqual([100, 'source-150']);
});

it.each([
  ['a period of more than 366 days', { startDate: '2024-01-01', endDate: '2026-01-01' }],
  ['a day that does not exist', { startDate: '2026-02-30' }],
  ['the year 0', { startDate: '0000-01-01', endDate: '0000-01-02' }],
  ['an end in the year 0', { startDate: '2026-01-01', endDate: '0000-12-31' }],
  ['a period that begins in the year 0', { endDate: '0001-01-05' }],
  ['a program that is no id', { program_id: 'acme' }],
  ['an unknown parameter', { programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604' }],
])('400 for %s', async (_what, query) => {
  const shop = await makeShop(api);
  const response = await api.call('GET', '/me/clicks', {
    key: await keyOf(shop.profileId),
    query: query as Record<string, string>,
  });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});

it('400 says which times are accepted', async () => {
  const shop = await makeShop(api);
  const query = { startDate: 'yesterday' };
  const { error } = await api.call('GET', '/me/clicks', { key: await keyOf(shop.profileId), query });
  expect(error.message).toContain('startDate must be an ISO 8601 date, or a date and time with Z or an offset');
});

it('403 for a merchant key', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await api.call('GET', '/me/clicks', { key })).toMatchObject({
    status: 403,
    error: { message: 'Affiliate key required' },
  });
});
