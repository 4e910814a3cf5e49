import { randomUUID } from 'node:crypto';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import {
  accessProblems,
  makeAffiliateActing,
  makeMerchantActing,
  pageProblems,
  SCRIPT_TEXT,
  useConsole,
} from '../support/console.ts';
import { makeProgram } from '../support/factories.ts';
import { BROKEN_PAGES, KIT_PAGES } from './kit-pages.ts';

const pages = useConsole([...KIT_PAGES, ...BROKEN_PAGES]);
const { api, sessions } = pages;

const signIn = async (scopes = SCOPES_OF.merchant) => {
  const acting = await makeMerchantActing(pages, scopes);
  return { ...acting, session: sessions.open({ merchant: acting }) };
};

test('every page and form is open to whom the access rules of its operations let in', async () => {
  const [all, reads, affiliate] = [await signIn(), await signIn(['programs:read']), await makeAffiliateActing(pages)];
  const visitors = [
    { name: 'nobody', session: undefined },
    { name: 'an owner', session: all.session },
    { name: 'somebody who reads programs', session: reads.session },
    { name: 'an affiliate', session: sessions.open({ affiliate }) },
    { name: 'somebody without an account', session: sessions.open({}) },
  ];
  expect(await accessProblems(pages, KIT_PAGES, visitors)).toEqual([]);
});

test('the sign-in leads back to the page that was asked for', async () => {
  const response = await pages.get('/console/programs/new?from=mail');
  expect(response).toMatchObject({ status: 303, location: '/sign-in?next=%2Fconsole%2Fprograms%2Fnew%3Ffrom%3Dmail' });
});

test('a session that has ended opens nothing', async () => {
  const { session } = await signIn();
  expect((await pages.get('/console', { session })).status).toBe(200);
  sessions.end(session);
  expect((await pages.get('/console', { session })).status).toBe(303);
  expect((await pages.get('/console', { session: 'forged' })).status).toBe(303);
});

test('a page shows what the operation returns to this person only', async () => {
  const [own, other] = [await signIn(), await signIn()];
  const { programId } = await makeProgram(api, own.key, { name: 'Ours' });
  expect((await pages.get('/console', own)).html).toContain('>Ours</a>');
  expect((await pages.get('/console', other)).html).not.toContain('Ours');
  expect((await pages.get(`/console/programs/${programId}`, other)).status).toBe(403);
  expect((await pages.get(`/console/programs/${randomUUID()}`, own)).status).toBe(404);
});

test('the navigation shows the pages that the person may open, and where it is', async () => {
  const [all, reads] = [await signIn(), await signIn(['programs:read'])];
  const { html } = await pages.get('/console/programs/new', all);
  expect(html).toMatch(/<a href="\/console" aria-current="page"><svg.*?<\/svg>Programs<\/a>/);
  expect(html).toContain('href="/console/keys"');
  expect((await pages.get('/console', reads)).html).not.toContain('/console/programs/new"><svg');
});

test('the head of a page leads only to pages that there are', async () => {
  const { html } = await pages.get('/console', await signIn());
  expect([html.includes('/console/companies'), html.includes('/sign-out')]).toEqual([false, false]);
});

test('no page loads anything from another host, runs an inline script or is shown in a frame', async () => {
  const { headers, html } = await pages.get('/hello?name=Ada');
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin', 'x-frame-options': 'DENY' });
  expect(pageProblems(html)).toEqual([]);
});

test('a page may be shown in frames of the origins that it names, and has the name of its brand', async () => {
  const { headers, html } = await pages.get('/widget');
  expect(headers['content-security-policy']).toContain('; frame-ancestors https://shop.example; base-uri');
  expect(headers['x-frame-options']).toBeUndefined();
  // Whatever characters of direction were in the names.
  expect(html).toContain('<title>Widget · Acme</title>');
  expect(html).toContain('>Widget</h1>');
});

test('script text in an address and in every field comes out as text', async () => {
  const { session, key } = await signIn();
  const greeting = await pages.get(`/hello?name=${encodeURIComponent(SCRIPT_TEXT)}`);
  expect(pageProblems(greeting.html)).toEqual([]);
  const { programId } = await makeProgram(api, key, { name: SCRIPT_TEXT.slice(0, 100), description: SCRIPT_TEXT });
  for (const path of ['/console', `/console/programs/${programId}`]) {
    const { html } = await pages.get(path, { session });
    expect(html).toContain('&lt;script&gt;');
    expect(pageProblems(html)).toEqual([]);
  }
  const fields = Object.fromEntries(Object.keys(KIT_PAGES[1]?.forms['main']?.fields ?? {}).map((name) => [name, SCRIPT_TEXT]));
  const again = await pages.post('/console/programs/new', fields, { session });
  expect(again.status).toBe(422);
  expect(pageProblems(again.html)).toEqual([]);
});

test('a page that is opened cannot change anything', async () => {
  const { session, key } = await signIn();
  expect((await pages.get('/console/broken', { session })).status).toBe(500);
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(0);
});

test('an unknown address below the pages is a page, and others are answered as before', async () => {
  const { session } = await signIn();
  const unknown = await pages.get('/console/nowhere', { session });
  expect(unknown).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(unknown.html).toContain('Page not found');
  expect((await pages.get('/nowhere')).headers['content-type']).toContain('application/json');
});

test('one page is one request of the person, and of the address without a session', async () => {
  const acting = await makeMerchantActing(pages);
  const session = sessions.open({ merchant: { ...acting, perMinute: 2 } });
  const statuses = async (open: () => Promise<{ status: number }>, times: number) =>
    Promise.all(Array.from({ length: times }, async () => (await open()).status));
  expect((await statuses(() => pages.get('/console', { session }), 3)).sort()).toEqual([200, 200, 429]);
  const from = '127.9.8.7';
  expect((await statuses(() => pages.get('/hello?name=x', { from }), 61)).filter((status) => status === 429)).toHaveLength(1);
  const limited = await pages.get('/console', { session });
  expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
  expect(limited.html).toContain('Too many requests');
});

test('the language follows the person, or the browser of a stranger', async () => {
  const affiliate = await makeAffiliateActing(pages);
  const { html } = await pages.get('/portal', { session: sessions.open({ affiliate, locale: 'de-AT' }) });
  expect(html).toContain('<html lang="de">');
  expect(html).toContain('Zum Inhalt springen');
  const header = { 'accept-language': 'fr-FR,fr;q=0.9,de;q=0.8,en;q=0.7' };
  expect((await pages.get('/hello?name=x', { headers: header })).html).toContain('<html lang="de">');
  expect((await pages.get('/hello?name=x', { headers: { 'accept-language': 'fr' } })).html).toContain('<html lang="en">');
});

test('files of pages are kept for ever under their address, and served as they are under an older one', async () => {
  const { html } = await pages.get('/hello?name=x');
  const [style = ''] = /\/assets\/console-\w+\.css/.exec(html) ?? [];
  const current = await pages.get(style, { headers: { 'accept-encoding': 'gzip' } });
  expect(current.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    'content-type': 'text/css; charset=utf-8',
  });
  const etag = String(current.headers['etag']);
  expect((await pages.get(style, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const older = await pages.get('/assets/console-AAAAAAAAAAAA.css');
  expect(older).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
  expect((await pages.get('/assets/passwd-AAAAAAAAAAAA.css')).status).toBe(404);
  expect((await pages.get('/assets/..%2F..%2Fpackage.json')).status).toBe(404);
});
