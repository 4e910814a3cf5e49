import { anyAddress, useTestApi } from '../../support/api.ts';
import { sendSale } from '../../support/factories.ts';
import { BROWSER, click, makeShop } from './support.ts';

const api = useTestApi();

const follow = (path: string) => api.raw('GET', path, { headers: { 'user-agent': BROWSER }, from: anyAddress() });

/** What mail programs, chats and documents make of the end of a link. */
const CLOSING = [
  ...[
    '/',
    '//',
    '.',
    ',',
    ')',
    ').',
    '%20',
    '%20%20',
    '%0D%0A',
    '%E2%80%8B',
    '%EF%BB%BF',
    '%C2%A0',
    '%E2%80%9D',
    '%22%3E',
    '%2F',
  ],
  ...[
    '*',
    '!',
    ';',
    "'",
    '%2520',
    '&amp;',
    '&gt;',
    '%3C/a%3E',
    '%3Futm_source=mail',
    '&amp;utm_source=mail',
    '/?utm_source=mail',
  ],
  ...['?', '??', '?&', '?amp;x=1', '%5D(https://tributary.example/r/other)'],
];

test('BR4: a redirect link counts and leads on, whatever was written after it', async () => {
  const shop = await makeShop(api);
  for (const closing of CLOSING) {
    const { status, headers } = await follow(`/r/${shop.code}${closing}`);
    const location = new URL(String(headers.location));
    expect([closing, status, location.origin, location.searchParams.getAll('via')]).toEqual([
      closing,
      302,
      shop.origin,
      [shop.code],
    ]);
    expect([closing, location.searchParams.get('agentref_cid')]).toEqual([closing, expect.stringMatching(/^clk_/)]);
  }
});

test.each([
  ['?a=1&amp;b=2&amp;utm_source=mail', { a: '1', b: '2', utm_source: 'mail' }],
  ['?a=1?utm_source=mail', { a: '1', utm_source: 'mail' }],
  ['&amp;utm_source=mail&amp;b=2', { utm_source: 'mail', b: '2' }],
  ['&utm_source=mail?b=2', { utm_source: 'mail', b: '2' }],
  ['%3Futm_source=mail&b=2', { utm_source: 'mail', b: '2' }],
  ['?a=1&amp;via=somebody&amp;agentref_cid=x?via=else', { a: '1' }],
  ['?next=/a?b=c', { next: '/a?b=c' }],
])('BR4: the query of /r/CODE%s is passed on as it was meant', async (rest, passedOn) => {
  const shop = await makeShop(api);
  const { headers } = await follow(`/r/${shop.code}${rest}`);
  const { via, agentref_cid: _token, ...others } = Object.fromEntries(new URL(String(headers.location)).searchParams);
  expect([via, others]).toEqual([shop.code, passedOn]);
});

test('BR4: what is no code leads nowhere', async () => {
  const shop = await makeShop(api);
  for (const path of [`/r/${shop.code}.smith`, `/r/${shop.code}/page`, `/r/x/${shop.code}`, '/r/', '/r//']) {
    expect([path, (await follow(path)).status]).toEqual([path, 404]);
  }
});

test('BR4: a click that is reported with a damaged code counts', async () => {
  const shop = await makeShop(api);
  const damaged = [`${shop.code}/`, `${shop.code}.`, ` ${shop.code}\u200b`, `${shop.code}&amp;utm_source=mail`, `“${shop.code}”`];
  for (const referralCode of [...damaged, `${shop.code}?${'utm_campaign=long&'.repeat(20)}`]) {
    const { status, data } = await click(api, shop, { body: { referralCode } });
    expect([referralCode, status, data.status, data.affiliateCode]).toEqual([referralCode, 200, 'ok', shop.code]);
  }
});

test('BR4: a sale that names a damaged code is credited', async () => {
  const { program, code } = await makeShop(api);
  for (const referralCode of [`${code}/`, `${code}.`, `${code}%20`, `${code}&amp;utm_source=mail`, code.toUpperCase()]) {
    const { data } = await sendSale(api, program, { referralCode });
    expect([referralCode, data.outcome]).toEqual([referralCode, 'recorded']);
  }
});
