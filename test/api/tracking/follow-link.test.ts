import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { createLink } from '../links/support.ts';
import { system } from '../pipeline/support.ts';
import { BROWSER, click, makeShop, type TestShop } from './support.ts';

const api = useTestApi();
const em = () => api.runtime.context(system).em;

const clicksOf = (shop: TestShop) =>
  rows(em(), sql<Record<string, unknown>>`select * from click where program_id = ${shop.programId}::uuid order by id`);

const countOf = async (shop: TestShop): Promise<number> =>
  (
    await firstRow(
      em(),
      sql<{
        clicks: number;
      }>`select coalesce(sum(clicks), 0)::int as clicks from click_count where affiliate_id = ${shop.affiliateId}::uuid`,
    )
  )?.clicks ?? 0;

const follow = (path: string, headers: Record<string, string> = {}, from = anyAddress()) =>
  api.raw('GET', path, { headers: { 'user-agent': BROWSER, ...headers }, from });

const TOKEN = /agentref_cid=(clk_[0-9a-f]{32})/;

it('302 to the website with the code and the token of the click, which no cache stores', async () => {
  const shop = await makeShop(api);
  const response = await follow(`/r/${shop.code}`);
  expect(response.status).toBe(302);
  expect(response.headers['cache-control']).toBe('no-store');
  const [, token] = TOKEN.exec(String(response.headers.location)) ?? [];
  expect(response.headers.location).toBe(`${shop.origin}/?via=${shop.code}&agentref_cid=${token}`);
  const [stored, ...others] = await clicksOf(shop);
  expect(others).toEqual([]);
  expect(`clk_${String(stored?.['id']).replaceAll('-', '')}`).toBe(token);
  expect(stored).toMatchObject({ affiliate_id: shop.affiliateId, channel: 'redirect', page: null });
  expect(await countOf(shop)).toBe(1);
});

it('the landing page of the program precedes its website, and keeps its own query', async () => {
  const shop = await makeShop(api, { landingPageUrl: 'https://start.example/offer?plan=pro&via=somebody' });
  const { headers } = await follow(`/r/${shop.code.toUpperCase()}?plan=free&utm_source=ads`);
  expect(headers.location).toMatch(/^https:\/\/start\.example\/offer\?plan=pro&utm_source=ads&via=/);
  expect(headers.location).toContain(`&via=${shop.code}&agentref_cid=clk_`);
  expect(await clicksOf(shop)).toMatchObject([{ source: 'ads', campaign: { utm_source: 'ads' } }]);
});

it('the query of the request is passed on in bounded length, and never changes where the link leads', async () => {
  const shop = await makeShop(api);
  const many = Array.from({ length: 50 }, (_, n) => `p${n}=1`).join('&');
  const locations = await Promise.all(
    [
      'url=https://evil.example&next=//evil.example',
      'via=mallory&agentref_cid=clk_00000000000000000000000000000000',
      `long=${'x'.repeat(2_000)}`,
      many,
      'a=%0d%0aSet-Cookie:x=1',
      'a=%00',
    ].map(async (query) => new URL(String((await follow(`/r/${shop.code}?${query}`)).headers.location))),
  );
  expect(new Set(locations.map(({ origin, pathname }) => origin + pathname))).toEqual(new Set([`${shop.origin}/`]));
  expect(locations.map(({ searchParams }) => searchParams.get('via'))).toEqual(locations.map(() => shop.code));
  expect(locations.map(({ searchParams }) => searchParams.getAll('agentref_cid').length)).toEqual(locations.map(() => 1));
  expect(locations[1]?.searchParams.get('agentref_cid')).not.toMatch(/^clk_0+$/);
  expect(locations[2]?.searchParams.has('long')).toBe(false);
  expect([...(locations[3]?.searchParams.keys() ?? [])]).toHaveLength(22);
  expect(Math.max(...locations.map(({ href }) => href.length))).toBeLessThan(1_500);
});

it('the same visitor within 30 seconds gets the same token', async () => {
  const shop = await makeShop(api);
  const from = anyAddress();
  const found = await Promise.all(Array.from({ length: 5 }, () => follow(`/r/${shop.code}`, {}, from)));
  expect(new Set(found.map(({ headers }) => headers.location)).size).toBe(1);
  expect(await countOf(shop)).toBe(1);
  await follow(`/r/${shop.code}`);
  expect(await countOf(shop)).toBe(2);
});

it.each([
  ['Sec-Purpose: prefetch', { 'sec-purpose': 'prefetch;prerender' }],
  ['Purpose: prefetch', { purpose: 'prefetch' }],
  ['a crawler', { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }],
  ['a link preview', { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }],
])('%s is redirected and does not count; the code is kept for the visit that may follow', async (_what, headers) => {
  const shop = await makeShop(api);
  expect((await follow(`/r/${shop.code}`, headers)).headers.location).toBe(`${shop.origin}/?via=${shop.code}`);
  expect(await countOf(shop)).toBe(0);
});

it('HEAD is redirected and does not count', async () => {
  const shop = await makeShop(api);
  const response = await api.app.inject({ method: 'HEAD', url: `/r/${shop.code}`, headers: { 'user-agent': BROWSER } });
  expect({ status: response.statusCode, location: response.headers.location }).toEqual({
    status: 302,
    location: `${shop.origin}/?via=${shop.code}`,
  });
  expect(await clicksOf(shop)).toEqual([]);
});

it('where consent is required, the link redirects with the code only, and the page counts the click', async () => {
  const shop = await makeShop(api);
  await api.call('PATCH', '/merchant', { key: shop.key, body: { trackingRequiresConsent: true } });
  expect((await follow(`/r/${shop.code}`)).headers.location).toBe(`${shop.origin}/?via=${shop.code}`);
  expect(await clicksOf(shop)).toEqual([]);
});

it.each([
  [
    'a paused program',
    (shop: TestShop) => api.call('PATCH', `/programs/${shop.programId}`, { key: shop.key, body: { status: 'paused' } }),
  ],
  ['an archived program', (shop: TestShop) => api.call('DELETE', `/programs/${shop.programId}`, { key: shop.key })],
  ['a blocked affiliate', (shop: TestShop) => api.call('POST', `/affiliates/${shop.affiliateId}/block`, { key: shop.key })],
])('links of %s redirect and do not count', async (_what, change) => {
  const shop = await makeShop(api);
  expect((await change(shop)).status).toBe(200);
  const response = await follow(`/r/${shop.code}?x=1`);
  expect({ status: response.status, location: response.headers.location }).toEqual({
    status: 302,
    location: `${shop.origin}/?x=1`,
  });
  expect(await clicksOf(shop)).toEqual([]);
});

describe('links of affiliates', () => {
  const makeLink = async () => {
    const shop = await makeShop(api, { allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }] });
    const key = await makeAffiliateKey(api.runtime, shop.profileId);
    const { data: link } = await createLink(api, key, { name: 'Newsletter', destination_path: '/pricing' });
    return { shop, key, id: link.id as string, code: link.code as string };
  };

  it('a link leads to its own target, and its clicks carry its id and count for it', async () => {
    const { shop, key, id, code } = await makeLink();
    const { headers } = await follow(`/r/${code}?plan=pro`);
    expect(headers.location).toMatch(new RegExp(`^${shop.origin}/pricing\\?plan=pro&via=${code}&agentref_cid=clk_`));
    expect(await clicksOf(shop)).toMatchObject([{ code, link_id: id, affiliate_id: shop.affiliateId }]);
    await click(api, shop, { body: { referralCode: code } });
    await click(api, shop);
    const { data: links } = await api.call('GET', '/me/links', { key });
    expect(links).toMatchObject([
      { id, totalClicks: 2 },
      { name: 'Default link', code: shop.code, totalClicks: 1 },
    ]);
    const { data } = await api.call('GET', '/me/clicks', { key });
    expect(data.byLink).toEqual([
      { linkId: id, name: 'Newsletter', code, clicks: 2 },
      { linkId: links[1].id, name: 'Default link', code: shop.code, clicks: 1 },
    ]);
  });

  it.each([
    ['inactive', (id: string, key: string) => api.call('PATCH', `/me/links/${id}`, { key, body: { isActive: false } })],
    ['deleted', (id: string, key: string) => api.call('DELETE', `/me/links/${id}`, { key })],
  ])('an %s link leads to the page of the program and does not count', async (_what, change) => {
    const { shop, key, id, code } = await makeLink();
    expect((await change(id, key)).status).toBe(200);
    expect((await follow(`/r/${code}`)).headers.location).toBe(`${shop.origin}/`);
    const ignored = { status: 'ignored', reason: 'LINK_INACTIVE', clickToken: null };
    expect((await click(api, shop, { body: { referralCode: code } })).data).toMatchObject(ignored);
    expect(await clicksOf(shop)).toEqual([]);
  });

  it.each([
    ['its page is taken off the list', { allowedLandingPages: [] }, undefined],
    ['the website moves', { website: 'https://moved.example' }, 'https://moved.example'],
  ])('a target that the program no longer allows is not used: %s', async (_what, body, moved) => {
    const { shop, code } = await makeLink();
    expect((await api.call('PATCH', `/programs/${shop.programId}`, { key: shop.key, body })).status).toBe(200);
    const location = new URL(String((await follow(`/r/${code}`)).headers.location));
    expect(location.origin + location.pathname).toBe(`${moved ?? shop.origin}/`);
  });
});

it('404, as a plain page, for a code that nobody has and for a program without a page', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { code } = await makeAffiliate(api.runtime, programId);
  for (const path of [`/r/nobody-${unique()}`, '/r/a%00b', '/r/%F0%9F%98%80', `/r/${code}`]) {
    const response = await follow(path);
    expect(response).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.text).toContain('Link not found');
  }
});
