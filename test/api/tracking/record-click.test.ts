import { erasePerson } from '../../../src/domains/me/index.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeAffiliate, unique } from '../../support/factories.ts';
import { system } from '../pipeline/support.ts';
import { BROWSER, click, makeShop, type TestShop, visitorId } from './support.ts';

const api = useOwnApi();
const em = () => api.runtime.context(system).em;

const clicksOf = (shop: TestShop) =>
  rows(em(), sql<Record<string, unknown>>`select * from click where program_id = ${shop.programId}::uuid order by id`);

const totalOf = async (shop: TestShop): Promise<number> =>
  (
    await firstRow(
      em(),
      sql<{ clicks: number }>`select coalesce(sum(clicks), 0)::int as clicks from click_total
        where affiliate_id = ${shop.affiliateId}::uuid`,
    )
  )?.clicks ?? 0;

it('200: a click is stored and counted, and its token is returned', async () => {
  const shop = await makeShop(api, { cookieDuration: 45 });
  const response = await click(api, shop);
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': shop.origin,
    vary: 'Origin',
    'cache-control': 'no-store',
  });
  const clickToken = expect.stringMatching(/^clk_[0-9a-f]{32}$/);
  const { programId, code: affiliateCode } = shop;
  expect(response.data).toEqual({ status: 'ok', reason: null, affiliateCode, programId, clickToken, cookieDuration: 45 });
  const [stored, ...others] = await clicksOf(shop);
  expect(others).toEqual([]);
  expect(stored).toMatchObject({ affiliate_id: shop.affiliateId, code: affiliateCode, channel: 'page', source: 'direct' });
  expect(`clk_${String(stored?.['id']).replaceAll('-', '')}`).toBe(response.data.clickToken);
  expect(await totalOf(shop)).toBe(1);
});

it('campaign parameters, page and referrer are kept without their queries, and in bounded length', async () => {
  const shop = await makeShop(api);
  const long = 'x'.repeat(3_000);
  const query = `utm_source=News%00letter&utm_medium=email&sub1=a&sub5=%F0%9F%98%80&gclid=g1&utm_term=${long}&email=ada@example.com`;
  const pageUrl = `${shop.origin}/pricing?${query}#top`;
  const response = await click(api, shop, { body: { pageUrl, referrer: 'https://www.blog.example/post?user=ada' } });
  expect(response.data.status).toBe('ok');
  const [stored] = await clicksOf(shop);
  expect(stored).toMatchObject({
    page: `${shop.origin}/pricing`,
    referrer: 'https://www.blog.example/post',
    source: 'newsletter',
    campaign: { utm_source: 'Newsletter', utm_medium: 'email', utm_term: 'x'.repeat(255), sub1: 'a', sub5: '😀', gclid: 'g1' },
  });
});

it.each([
  ['a referrer', { referrer: 'https://www.blog.example/post' }, 'blog.example'],
  ['a page of the website itself as referrer', { referrer: 'self' }, 'direct'],
  ['no referrer', { referrer: '' }, 'direct'],
  ['a referrer that is no address', { referrer: 'android-app://x' }, 'direct'],
])('the source of a click with %s is told', async (_what, body, source) => {
  const shop = await makeShop(api);
  await click(api, shop, { body: body.referrer === 'self' ? { referrer: `${shop.origin}/home` } : body });
  expect(await clicksOf(shop)).toMatchObject([{ source }]);
});

it('a repeat of visitor, code and page within 30 seconds is one click with one token, however many come at once', async () => {
  const shop = await makeShop(api);
  const same = { body: { visitorId: visitorId() } };
  const responses = await Promise.all(Array.from({ length: 10 }, () => click(api, shop, same)));
  const tokens = new Set(responses.map(({ data }) => data.clickToken));
  expect([...tokens]).toEqual([expect.stringMatching(/^clk_/)]);
  expect(await totalOf(shop)).toBe(1);
  const otherQuery = { body: { ...same.body, pageUrl: `${shop.origin}/pricing?x=1` } };
  expect((await click(api, shop, otherQuery)).data.clickToken).toBe(responses[0]?.data.clickToken);
  const others = [await click(api, shop), await click(api, shop, { body: { ...same.body, pageUrl: `${shop.origin}/other` } })];
  expect(new Set([...tokens, ...others.map(({ data }) => data.clickToken)]).size).toBe(3);
  expect(await totalOf(shop)).toBe(3);
});

it('without a visitor id, address and browser stand for the visitor', async () => {
  const shop = await makeShop(api);
  const body = { visitorId: undefined };
  const from = anyAddress();
  const tokenOf = async (address: string, agent: string): Promise<string> =>
    (await click(api, shop, { body, from: address, headers: { 'user-agent': agent } })).data.clickToken;
  const first = await tokenOf(from, BROWSER);
  expect(await tokenOf(from, BROWSER)).toBe(first);
  expect(await tokenOf(anyAddress(), BROWSER)).not.toBe(first);
  expect(await tokenOf(from, `${BROWSER} Edg/141.0.0.0`)).not.toBe(first);
});

it('the same click after 30 seconds counts again', async () => {
  const shop = await makeShop(api);
  const body = { visitorId: visitorId() };
  const first = await click(api, shop, { body });
  const { clock } = api.runtime;
  const real = clock.now.bind(clock);
  clock.now = () => new Date(real().getTime() + 31_000);
  try {
    const second = await click(api, shop, { body });
    expect(second.data).toMatchObject({ status: 'ok' });
    expect(second.data.clickToken).not.toBe(first.data.clickToken);
  } finally {
    clock.now = real;
  }
});

it('addresses and visitors are stored as keyed hashes only', async () => {
  const shop = await makeShop(api);
  const visitor = visitorId();
  await click(api, shop, { from: '203.0.113.77', body: { visitorId: visitor } });
  const text = JSON.stringify(await clicksOf(shop));
  for (const secret of ['203.0.113.77', visitor, visitor.slice(2)]) expect(text).not.toContain(secret);
});

it.each([
  [
    'PROGRAM_INACTIVE',
    'a paused program',
    (shop: TestShop) => api.call('PATCH', `/programs/${shop.programId}`, { key: shop.key, body: { status: 'paused' } }),
  ],
  [
    'PROGRAM_INACTIVE',
    'an archived program',
    (shop: TestShop) => api.call('DELETE', `/programs/${shop.programId}`, { key: shop.key }),
  ],
  [
    'AFFILIATE_BLOCKED',
    'a blocked affiliate',
    (shop: TestShop) => api.call('POST', `/affiliates/${shop.affiliateId}/block`, { key: shop.key }),
  ],
  [
    'AFFILIATE_ERASED',
    'an erased affiliate (MO4)',
    async ({ affiliateId }: TestShop) => {
      const ctx = api.runtime.context({ kind: 'system', name: 'test' });
      const profile = await firstRow(
        ctx.em,
        sql<{ email: string }>`select f.email from affiliate a join affiliate_profile f on f.id = a.profile_id
          where a.id = ${affiliateId}::uuid`,
      );
      await erasePerson(ctx, { email: profile?.email ?? '' });
      return { status: 200 };
    },
  ],
])('200 ignored %s: %s', async (reason, _what, change) => {
  const shop = await makeShop(api);
  expect((await change(shop)).status).toBe(200);
  const { status, data } = await click(api, shop);
  const { programId } = shop;
  expect({ status, data }).toEqual({
    status: 200,
    data: { status: 'ignored', reason, affiliateCode: null, programId, clickToken: null, cookieDuration: 30 },
  });
  expect(await clicksOf(shop)).toEqual([]);
  expect(await totalOf(shop)).toBe(0);
});

it('200 ignored UNKNOWN_CODE: a code that nobody has, that is no code, or that is of another program', async () => {
  const shop = await makeShop(api);
  const other = await makeShop(api);
  for (const referralCode of [`nobody-${unique()}`, 'a\u0000b', 'é'.repeat(60), other.code]) {
    const { status, data } = await click(api, shop, { body: { referralCode } });
    expect({ status, data }).toMatchObject({
      status: 200,
      data: { status: 'ignored', reason: 'UNKNOWN_CODE', clickToken: null },
    });
  }
  expect(await clicksOf(shop)).toEqual([]);
});

it('codes are read in any case', async () => {
  const shop = await makeShop(api);
  expect((await click(api, shop, { body: { referralCode: shop.code.toUpperCase() } })).data.status).toBe('ok');
  expect(await clicksOf(shop)).toMatchObject([{ code: shop.code }]);
});

it('where consent is required, only a click with consent counts', async () => {
  const shop = await makeShop(api);
  await api.call('PATCH', '/merchant', { key: shop.key, body: { trackingRequiresConsent: true } });
  for (const consentGranted of [false, undefined]) {
    expect((await click(api, shop, { body: { consentGranted } })).data).toMatchObject({
      reason: 'CONSENT_REQUIRED',
      clickToken: null,
    });
  }
  expect(await clicksOf(shop)).toEqual([]);
  expect((await click(api, shop, { body: { consentGranted: true } })).data.status).toBe('ok');
});

it.each(['', 'Googlebot/2.1 (+http://www.google.com/bot.html)', 'facebookexternalhit/1.1', 'curl/8.5.0', 'python-requests/2.31'])(
  '200 ignored BOT: %s',
  async (agent) => {
    const shop = await makeShop(api);
    expect((await click(api, shop, { headers: { 'user-agent': agent } })).data).toMatchObject({
      reason: 'BOT',
      clickToken: null,
    });
    expect(await clicksOf(shop)).toEqual([]);
  },
);

describe('403: only pages of the website report its clicks', () => {
  const statusFrom = async (headers: Record<string, string>): Promise<number> => {
    const shop = await makeShop(api, { website: 'https://www.acme-tools.example/start' });
    const response = await click(api, shop, { headers: { origin: '', ...headers } });
    if (response.status === 403) {
      expect(response.error.code).toBe('FORBIDDEN');
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    }
    return response.status;
  };

  it.each([
    ['https://www.acme-tools.example', 200],
    ['https://acme-tools.example', 200],
    ['http://pay.shop.acme-tools.example:8080', 200],
    ['https://evil-acme-tools.example', 403],
    ['https://acme-tools.example.evil.example', 403],
    ['https://example', 403],
    ['null', 403],
    ['file://', 403],
  ])('Origin %s: %i', async (origin, status) => {
    expect(await statusFrom({ origin })).toBe(status);
  });

  it('without Origin, Referer decides; with one, it does not; without both, nobody reports', async () => {
    const shop = await makeShop(api);
    const send = (headers: Record<string, string>) =>
      api.raw('POST', '/api/tracking/click', {
        body: JSON.stringify({ programId: shop.programId, pageUrl: shop.origin, referralCode: shop.code }),
        headers: { 'user-agent': BROWSER, ...headers },
      });
    expect((await send({ referer: `${shop.origin}/page?x=1` })).status).toBe(200);
    expect((await send({ referer: 'https://other.example/' })).status).toBe(403);
    expect((await send({ origin: 'https://other.example', referer: shop.origin })).status).toBe(403);
    expect((await send({})).status).toBe(403);
  });

  it('a program without a website has no pages', async () => {
    const shop = await makeShop(api, { website: null });
    expect((await click(api, shop)).status).toBe(403);
  });

  it('a changed website counts at once', async () => {
    const shop = await makeShop(api);
    const website = `https://new-${unique()}.example`;
    await api.call('PATCH', `/programs/${shop.programId}`, { key: shop.key, body: { website } });
    expect((await click(api, shop)).status).toBe(403);
    expect((await click(api, { ...shop, origin: website })).status).toBe(200);
  });
});

it('404 for an unknown program', async () => {
  const shop = await makeShop(api);
  const response = await click(api, { ...shop, programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604' });
  expect(response).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
});

it.each([
  ['an unknown field', { clickId: 'x' }],
  ['a page that is no web page', { pageUrl: 'javascript:alert(1)' }],
  ['a page whose host is too long', { pageUrl: `https://${'a'.repeat(301)}/` }],
  ['a page that is too long', { pageUrl: `https://shop.example/${'x'.repeat(5_000)}` }],
  ['no code', { referralCode: ' ' }],
  ['a visitor id of another shape', { visitorId: 'ada@example.com' }],
  ['a program that is no id', { programId: 'acme' }],
  ['consent that is no boolean', { consentGranted: 'yes' }],
])('422 for %s, and nothing is stored', async (_what, body) => {
  const shop = await makeShop(api);
  expect(await click(api, shop, { body })).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
  expect(await clicksOf(shop)).toEqual([]);
});

it('400 for a body that is no JSON', async () => {
  const shop = await makeShop(api);
  const response = await api.raw('POST', '/api/tracking/click', { body: '{', headers: { origin: shop.origin } });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});

it('clicks of many visitors at once are all counted, by day, code and source', async () => {
  const shop = await makeShop(api);
  const second = await makeAffiliate(api.runtime, shop.programId);
  const utm = `${shop.origin}/?utm_source=ads`;
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      n % 3 === 0 ? click(api, { ...shop, ...second }) : click(api, shop, n % 2 === 0 ? { body: { pageUrl: utm } } : {}),
    ),
  );
  const counts = await rows(
    em(),
    sql<Record<string, unknown>>`select affiliate_id, code, source, sum(clicks)::int as clicks from click_count
      where affiliate_id in (${shop.affiliateId}::uuid, ${second.affiliateId}::uuid)
        and day = (now() at time zone 'UTC')::date group by 1, 2, 3`,
  );
  expect(counts).toEqual(
    expect.arrayContaining([
      { affiliate_id: shop.affiliateId, code: shop.code, source: 'ads', clicks: 20 },
      { affiliate_id: shop.affiliateId, code: shop.code, source: 'direct', clicks: 20 },
      { affiliate_id: second.affiliateId, code: second.code, source: 'direct', clicks: 20 },
    ]),
  );
});

it('invented sources do not grow without a bound: from 400 rows a day on, they are counted as other', async () => {
  const shop = await makeShop(api);
  await em().execute(`insert into click_count select '${shop.affiliateId}', (now() at time zone 'UTC')::date, '${shop.code}', 'made-up-' || n, 0, 1
    from generate_series(1, 400) as n`);
  await click(api, shop, { body: { pageUrl: `${shop.origin}/?utm_source=one-more` } });
  const found = await rows(
    em(),
    sql<{
      source: string;
    }>`select source from click_count where affiliate_id = ${shop.affiliateId}::uuid and source not like 'made-up%'`,
  );
  expect(found).toEqual([{ source: 'other' }]);
});
