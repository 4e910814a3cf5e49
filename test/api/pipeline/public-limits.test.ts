import { PUBLIC_ROUTES } from '../../../src/api/routes.ts';
import { MAX_BODY_BYTES } from '../../../src/contracts/limits.ts';
import { anyAddress, type TestResponse, toTestResponse, useTestApi } from '../../support/api.ts';
import { BAD_TEXTS, expectDocumented } from '../../support/limits.ts';
import { BROWSER, makeShop, type TestShop } from '../tracking/support.ts';

const api = useTestApi();
let shop: TestShop;
beforeAll(async () => {
  shop = await makeShop(api);
});

/** As they are sent in an address: with escapes that are no UTF-8 too. */
const SENT_TEXTS = ['%00', 'a%00b', '%ED%A0%80', '%FF', 'x'.repeat(3_000), '%F0%9F%91%A9', '%27%22%5C;--', '..%2f..', '%'];

const BROWSER_HEADERS = { 'user-agent': BROWSER, 'content-type': 'application/json' };

const send = async (
  method: 'GET' | 'POST' | 'PUT' | 'OPTIONS',
  url: string,
  more: { payload?: string | Buffer; headers?: object } = {},
) =>
  toTestResponse(
    await api.app.inject({
      method,
      url,
      remoteAddress: anyAddress(),
      headers: { ...BROWSER_HEADERS, ...more.headers },
      ...(more.payload === undefined ? {} : { payload: more.payload }),
    }),
  );

/** Pages and scripts of browsers have errors of their own. */
const expectServed = (what: unknown, response: TestResponse): void => {
  const { status, headers } = response;
  if (String(headers['content-type']).startsWith('application/json')) expectDocumented(what, response);
  else expect([what, status, status < 500]).toEqual([what, status, true]);
};

const clickBody = () => ({
  programId: shop.programId,
  pageUrl: `${shop.origin}/pricing`,
  referralCode: shop.code,
  referrer: 'https://example.org/',
  consentGranted: true,
  visitorId: 'v_0123456789abcdef',
});

test('a click with text that cannot be stored is refused, or stored without it', async () => {
  for (const field of ['programId', 'pageUrl', 'referralCode', 'referrer', 'visitorId']) {
    for (const [kind, text] of Object.entries(BAD_TEXTS)) {
      for (const value of [text, `${shop.origin}/${text}`, `${shop.origin}/?utm_source=${text}`]) {
        const payload = JSON.stringify({ ...clickBody(), [field]: value });
        expectServed([field, kind], await send('POST', '/api/tracking/click', { payload }));
      }
    }
  }
});

test('headers of a click with any text are refused or not read', async () => {
  const payload = JSON.stringify(clickBody());
  for (const name of ['origin', 'referer', 'user-agent', 'sec-fetch-site', 'if-none-match', 'accept-encoding']) {
    for (const value of ['', 'null', 'x'.repeat(7_000), 'https://\u00e9\u00ff/', 'https://[::1', 'http://%00/', '\u0080']) {
      expectServed([name, value], await send('POST', '/api/tracking/click', { payload, headers: { [name]: value } }));
      expectServed([name, value], await send('GET', `/r/${shop.code}`, { headers: { [name]: value } }));
      expectServed([name, value], await send('GET', `/script.js?pid=${shop.programId}`, { headers: { [name]: value } }));
    }
  }
});

test.each(['null', '[]', '5', '"text"', '{', '', '{"a":1,"a":2}', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`])(
  'a click whose body is %s is refused',
  async (payload) => {
    const response = await send('POST', '/api/tracking/click', { payload });
    expectServed(payload, response);
    expect([400, 422]).toContain(response.status);
  },
);

test('a click of more than 1 MiB is refused by its size', async () => {
  const payload = `{"a":"${'x'.repeat(MAX_BODY_BYTES)}"}`;
  expect(await send('POST', '/api/tracking/click', { payload })).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', details: { reason: 'BODY_TOO_LARGE' } },
  });
});

test.each(SENT_TEXTS)('an address with %s leads to no error of the server, on any public route', async (text) => {
  const paths = [
    `/r/${text}`,
    `/r/${shop.code}?utm_source=${text}`,
    `/r/${shop.code}?${text}=1`,
    `/script.js?pid=${text}`,
    `/script.js?pid=${shop.programId}&v=${text}`,
    `/files/downloads/${text}`,
    `/files/downloads/${text}.${text}`,
    `/files/uploads/${text}`,
    `/files/remittances/${text}`,
    `/files/remittances/${text}.${text}`,
    `/files/exports/payouts.csv?token=${text}`,
    `/api/integrations/stripe/oauth/callback?state=${text}&code=${text}`,
  ];
  for (const path of paths) expectServed(path, await send('GET', path));
  expectServed('PUT', await send('PUT', `/files/uploads/${text}`, { payload: 'x' }));
  expectServed('POST', await send('POST', `/api/tracking/click?${text}`, { payload: JSON.stringify(clickBody()) }));
});

test('the addresses above are those of all public routes', () => {
  expect(PUBLIC_ROUTES.map(({ path }) => path).sort()).toEqual(['/api/tracking/click', '/r/{code}', '/script.js']);
});
