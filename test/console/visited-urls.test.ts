import type { AddressInfo } from 'node:net';
import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { personSessions } from '../../src/console/sign-in/person-sessions.ts';
import { PUBLIC_PER_MINUTE } from '../../src/contracts/limits.ts';
import { makeInviter } from '../api/invites/support.ts';
import { BROWSER, makeShop } from '../api/tracking/support.ts';
import { anyAddress, useOwnApi } from '../support/api.ts';
import { unique } from '../support/factories.ts';
import { parseText, sendRaw } from '../support/raw-http.ts';

const mounts = [consoleOf({ pages: PAGES, sessions: personSessions })];
const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000' }, { mounts });
let port: number;
beforeAll(async () => {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = api.app.server.address() as AddressInfo);
});

/** What a browser sends when somebody follows a link. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const visit = async (target: string, { accept = ACCEPT, from = anyAddress() } = {}) => {
  const head = `HTTP/1.1\r\nHost: localhost:3000\r\nUser-Agent: ${BROWSER}\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from('GET '), Buffer.from(target), Buffer.from(` ${head}`)]);
  return parseText(await sendRaw(port, bytes, { from }));
};

/** What tracking tools, mail programs and people write into queries. */
const QUERIES = [
  ...['utm_campaign=50%off', 'x=%', 'x=%2', 'x=%zz', 'x=%00', 'x=%E9', 'x=%ED%A0%80', 'x=%C0%AF', '%', '&&&', '=', '?'],
  ...[
    'a=1&a=2',
    '__proto__=1',
    'constructor[prototype]=1',
    'id=1&id=2',
    'token=%',
    `long=${'x'.repeat(10_000)}`,
    'a&'.repeat(3_000),
  ],
  ...['x="><script>', "x='", 'x={{7*7}}', 'x=%0d%0aSet-Cookie:y=1', 'pid=%', '#', ';jsessionid=1'],
];

test('BR3: pages that visitors open never fail because of a query', async () => {
  const shop = await makeShop(api, { portalSlug: `acme-${unique()}` });
  const { portalSlug } = (await api.call('GET', `/programs/${shop.programId}`, { key: shop.key })).data;
  const token = await (await makeInviter(api)).invite();
  for (const query of QUERIES) {
    const followed = await visit(`/r/${shop.code}?${query}`);
    expect([query, followed.status]).toEqual([query, 302]);
    expect(followed.headers['location']).toMatch(new RegExp(`^${shop.origin}/\\?.*via=${shop.code}&agentref_cid=clk_`));
    for (const path of [`/join/${portalSlug}`, `/i/${token}`, '/sign-in']) {
      expect([path, query, (await visit(`${path}?${query}`)).status]).toEqual([path, query, 200]);
    }
    const script = await visit(`/script.js?pid=${shop.programId}&${query}`);
    expect([query, [200, 404].includes(script.status), script.headers['content-type']]).toEqual([
      query,
      true,
      'application/javascript; charset=utf-8',
    ]);
  }
});

test.each([
  ['utm_campaign=50%off', { utm_campaign: '50%off' }],
  ['utm_campaign=100%&x=1', { utm_campaign: '100%', x: '1' }],
  ['name=Jos%E9', { name: 'José' }],
  ['q=%F0%9F%98%80', { q: '😀' }],
])('BR3: /r/CODE?%s reaches the destination', async (query, passedOn) => {
  const shop = await makeShop(api);
  const { headers } = await visit(`/r/${shop.code}?${query}`);
  const { via, agentref_cid: _token, ...others } = Object.fromEntries(new URL(String(headers['location'])).searchParams);
  expect([via, others]).toEqual([shop.code, passedOn]);
});

test.each(['/r/CODE%', '/r/CODE%E9', '/r/CODE%E2%80', '/r/CODE%2'])('BR4: the code of %s is found', async (path) => {
  const shop = await makeShop(api);
  const { status, headers } = await visit(path.replace('CODE', shop.code));
  expect([status, headers['location']]).toEqual([302, expect.stringContaining(`via=${shop.code}&`)]);
});

test.each(['/', '.', ').', '%20', '%E2%80%8B', '&amp;utm_source=mail', '%'])(
  'BR4: a page is found whose link ends with %s',
  async (closing) => {
    const shop = await makeShop(api, { portalSlug: `acme-${unique()}` });
    const { portalSlug } = (await api.call('GET', `/programs/${shop.programId}`, { key: shop.key })).data;
    const token = await (await makeInviter(api)).invite();
    expect((await visit(`/join/${portalSlug}${closing}`)).status).toBe(200);
    expect((await visit(`/i/${token}${closing}`)).status).toBe(200);
  },
);

test('BR3: the script is found with what was written after its id, and is JavaScript without one', async () => {
  const shop = await makeShop(api);
  for (const query of [`pid=${shop.programId}%20`, `pid=${shop.programId}&amp;v=2`, `v=2&amp;pid=${shop.programId}/`])
    expect([query, (await visit(`/script.js?${query}`, { accept: '*/*' })).status]).toEqual([query, 200]);
  for (const query of ['', 'pid=', 'pid=a&pid=b', `pid=${'x'.repeat(5_000)}`])
    expect(await visit(`/script.js?${query}`, { accept: '*/*' })).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/javascript; charset=utf-8' },
    });
});

describe('BR3: errors', () => {
  const PAGE = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

  const LONG_CODE = `/r/${'x'.repeat(5_000)}`;

  it.each([
    ['an unknown path', '/nothing', 404],
    ['an unknown path below a page', '/join/a/b/c', 404],
    ['a signed file that does not exist', '/files/downloads/x', 404],
    ['a code that is too long to be one', LONG_CODE, 404],
    ['a part of a path that is too long', `/unsubscribe/${'x'.repeat(5_000)}`, 400],
    ['a head that is malformed', '/r/a b', 400],
  ])('%s is a page for a browser, and JSON for a program', async (_what, path, status) => {
    const page = await visit(path);
    expect(page).toMatchObject({ status, headers: PAGE });
    expect(page.text).toMatch(/<h1>.+<\/h1>/);
    const program = await visit(path, { accept: '*/*' });
    if (path !== LONG_CODE) expect(program.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('an address that opens too many links sees a page that says so', async () => {
    const from = anyAddress();
    const inject = () =>
      api.app.inject({ url: `/r/nobody-${unique()}`, remoteAddress: from, headers: { accept: ACCEPT, 'user-agent': BROWSER } });
    await Promise.all(Array.from({ length: PUBLIC_PER_MINUTE }, inject));
    const { statusCode, headers, body } = await inject();
    expect({ statusCode, headers }).toMatchObject({ statusCode: 429, headers: { ...PAGE, 'retry-after': expect.any(String) } });
    expect(body).toContain('Too many requests');
  });

  it('the API answers browsers in JSON too', async () => {
    for (const path of ['/api/v1/me', '/api/v1/nothing', '/api/v1/affiliates?search=%zz'])
      expect((await visit(path)).headers['content-type']).toBe('application/json; charset=utf-8');
  });
});
