import { makeMerchantActing, useConsole } from '../support/console.ts';
import { KIT_PAGES } from './kit-pages.ts';

const pages = useConsole(KIT_PAGES);
const { api, sessions } = pages;
const program = { name: 'Spring', commissionType: 'recurring', commissionPercent: '12.5' };

const send = async (headers: Record<string, string | undefined>): Promise<number> => {
  const acting = await makeMerchantActing(pages);
  const cookie = `tributary_session_3000=${sessions.open({ merchant: acting })}`;
  const given = { host: 'localhost:3000', cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<string, string>;
  const payload = new URLSearchParams(program).toString();
  const response = await api.app.inject({ method: 'POST', url: '/console/programs/new', headers: sent, payload });
  const { total } = (await api.call('GET', '/programs', { key: acting.key })).meta;
  expect(total).toBe(response.statusCode === 303 ? 1 : 0);
  return response.statusCode;
};

const OWN = 'http://localhost:3000';

test.each([
  ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a page of another host of the same site', { 'sec-fetch-site': 'same-site', origin: 'http://evil.localhost:3000' }],
  ['a page of another host of the same site, without its origin', { 'sec-fetch-site': 'same-site' }],
  ['an address that was typed', { 'sec-fetch-site': 'none' }],
  ['a browser without fetch metadata, on another site', { origin: 'https://evil.example' }],
  ['another port of this host', { origin: 'http://localhost:4000' }],
  ['a sandboxed page', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['a sandboxed page of an old browser', { origin: 'null' }],
  ['a page whose origin and metadata contradict each other', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }],
  ['a program that is no browser', {}],
])('a form of %s is refused and changes nothing', async (_from, headers) => {
  expect(await send(headers)).toBe(403);
});

test.each([
  ['a page of this origin', { 'sec-fetch-site': 'same-origin', origin: OWN }],
  ['a browser without fetch metadata', { origin: OWN }],
  ['a browser that sends no origin', { 'sec-fetch-site': 'same-origin' }],
  ['a page under another name of this server', { host: 'portal.acme.example', origin: 'https://portal.acme.example' }],
])('a form of %s is accepted', async (_from, headers) => {
  expect(await send(headers)).toBe(303);
});

test('pages take forms only, and the API takes none', async () => {
  expect(await send({ origin: OWN, 'content-type': 'application/json' })).toBe(400);
  expect(await send({ origin: OWN, 'content-type': 'multipart/form-data; boundary=x' })).toBe(400);
  expect(await send({ origin: OWN, 'content-type': undefined })).toBe(400);
  const { key } = await makeMerchantActing(pages);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const refused = await api.call('POST', '/programs', { key, headers, body: new URLSearchParams(program).toString() });
  expect(refused).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});

test('a page without a file in its forms reads no form with files', async () => {
  const fields = { ...program, sentForm: 'main' };
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const acting = await makeMerchantActing(pages);
  const response = await api.app.inject({
    method: 'POST',
    url: '/console/programs/new',
    headers: {
      cookie: `tributary_session_3000=${sessions.open({ merchant: acting })}`,
      origin: OWN,
      'content-type': 'multipart/form-data; boundary=x',
    },
    payload: `${parts.join('')}--x--\r\n`,
  });
  expect(response.statusCode).toBe(400);
  expect((await api.call('GET', '/programs', { key: acting.key })).meta.total).toBe(0);
});

test('a session opens pages, and nothing of the API', async () => {
  const acting = await makeMerchantActing(pages);
  const cookie = `tributary_session_3000=${sessions.open({ merchant: acting })}`;
  expect((await api.app.inject({ url: '/api/v1/programs', headers: { cookie } })).statusCode).toBe(401);
});

test('cookies are for this server only, and scripts do not see them', async () => {
  const acting = await makeMerchantActing(pages);
  const session = sessions.open({ merchant: acting });
  const sent = await pages.post('/console/programs/new', program, { session });
  const header = String(sent.headers['set-cookie']);
  expect(header).toMatch(/^tributary_flash_3000=[^;]+; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/);
});
