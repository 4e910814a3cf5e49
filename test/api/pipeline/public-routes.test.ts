import { PUBLIC_ROUTES } from '../../../src/api/routes.ts';
import { PUBLIC_PER_MINUTE } from '../../../src/contracts/limits.ts';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import { BROWSER, click, makeShop } from '../tracking/support.ts';

const api = useTestApi();

const preflight = async (origin: string | undefined, more: { path?: string; from?: string } = {}) => {
  const { statusCode: status, headers } = await api.app.inject({
    method: 'OPTIONS',
    url: more.path ?? '/api/tracking/click',
    remoteAddress: more.from ?? anyAddress(),
    headers: { ...(origin === undefined ? {} : { origin }), 'access-control-request-method': 'POST' },
  });
  return { status, headers };
};

it('a preflight from the website of any active program is answered, and from nowhere else', async () => {
  const shop = await makeShop(api);
  const allowed = await preflight(shop.origin);
  expect(allowed).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': shop.origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '7200',
      vary: 'Origin',
    },
  });
  const below = shop.origin.replace('https://', 'http://checkout.');
  expect((await preflight(below)).headers['access-control-allow-origin']).toBe(below);
  for (const origin of [
    `https://other-${unique()}.example`,
    'null',
    'https://example',
    undefined,
    `${shop.origin}.evil.example`,
  ]) {
    const refused = await preflight(origin);
    expect(refused.status).toBe(403);
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
  }
});

it('the website of a paused or archived program gets no preflight', async () => {
  const shop = await makeShop(api);
  await api.call('PATCH', `/programs/${shop.programId}`, { key: shop.key, body: { status: 'paused' } });
  expect((await preflight(shop.origin)).status).toBe(403);
});

it('a page of one program cannot report clicks of another, though its preflight is answered', async () => {
  const [own, other] = [await makeShop(api), await makeShop(api)];
  expect((await preflight(own.origin)).status).toBe(204);
  expect((await click(api, { ...other, origin: own.origin })).status).toBe(403);
});

it('429 with Retry-After once an address, or an IPv6 block, has sent 120 requests in a minute; other addresses go on', async () => {
  const shop = await makeShop(api);
  const calls = Array.from({ length: PUBLIC_PER_MINUTE }, (_, n) =>
    n % 2 === 0
      ? click(api, shop, { from: `2001:db8:7:1::${(n + 1).toString(16)}` })
      : api.raw('GET', `/r/nobody-${unique()}`, { from: `2001:db8:7:1:ffff::${n}`, headers: { 'user-agent': BROWSER } }),
  );
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200, 404]));
  const refused = await click(api, shop, { from: '2001:db8:7:1::ffff' });
  expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED', details: { retryAfter: expect.any(Number) } } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect((await click(api, shop, { from: '2001:db8:7:2::1' })).status).toBe(200);
});

it('preflights are limited apart from the calls they precede', async () => {
  const shop = await makeShop(api);
  const from = anyAddress();
  const found = await Promise.all(Array.from({ length: PUBLIC_PER_MINUTE + 1 }, () => preflight(shop.origin, { from })));
  expect(found.filter(({ status }) => status === 429)).toHaveLength(1);
  expect((await click(api, shop, { from })).status).toBe(200);
});

it('no public route is below /api/v1, and each answers without a key', () => {
  expect(PUBLIC_ROUTES.filter(({ path }) => path.startsWith('/api/v1'))).toEqual([]);
  expect(PUBLIC_ROUTES.map(({ id }) => id)).toEqual(expect.arrayContaining(['recordClick', 'followLink']));
});
