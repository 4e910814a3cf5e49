import type { Page } from 'playwright-core';
import { PAGES } from '../../src/console/pages/index.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { anyAddress } from '../support/api.ts';
import { hiddenFields, makeMerchantActing, pageProblems, SCRIPT_TEXT, useConsole } from '../support/console.ts';
import { makeAffiliate, makeKey, makeProgram, unique } from '../support/factories.ts';
import { pngOf } from '../support/images.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { until } from '../support/until.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const site = useBrowserOn(api);
const AT = '/console/settings/branding';

const make = async (more: Record<string, unknown> = {}) => {
  const merchant = await makeMerchantActing(pages);
  const portalSlug = `acme-${unique()}`;
  const { programId } = await makeProgram(api, merchant.key, { name: 'Acme Partners', portalSlug, ...more });
  const portal = `/programs/${programId}/portal`;
  return {
    ...merchant,
    programId,
    session: sessions.open({ merchant }),
    at: `${AT}/${programId}`,
    join: `/join/${portalSlug}`,
    read: async () => (await api.call('GET', portal, { key: merchant.key })).data,
    update: (body: unknown) => api.call('PATCH', portal, { key: merchant.key, body }),
  };
};

const LOGO = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf(96, 32) };
const OWN = { name: 'Acme Circle', accentColor: '#ffdd00', logo: LOGO.buffer.toString('base64') };

/** As a browser without scripts sends a form with files. */
const send = async (url: string, session: string, fields: Record<string, string | Buffer>) => {
  const form = new FormData();
  const all = { ...hiddenFields((await pages.get(url, { session })).html), sentForm: 'main', ...fields };
  for (const [name, value] of Object.entries(all))
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'logo.png');
  const request = new Response(form);
  const response = await api.app.inject({
    method: 'POST',
    url,
    remoteAddress: anyAddress(),
    headers: {
      host: 'localhost:3000',
      cookie: `tributary_session_3000=${session}`,
      'sec-fetch-site': 'same-origin',
      'content-type': request.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return { status: response.statusCode, html: response.body, location: response.headers.location };
};

/** Waits until the buttons of a page have a color, and its head the logo. Scripts show it before its files are loaded. */
const expectLook = async (page: Page, { color, brand }: { color: string; brand: string }): Promise<void> => {
  await until(
    `the buttons are ${color}`,
    () => page.evaluate<string>("getComputedStyle(document.querySelector('button.primary')).backgroundColor"),
    (shown) => shown === color,
  );
  await until(
    'the logo is shown',
    () => page.evaluate<number>("document.querySelector('header img').naturalWidth"),
    (width) => width === 96,
  );
  expect((await page.locator('header .home').textContent())?.trim()).toBe(brand);
};

test.each([
  ['with scripts', true],
  ['without scripts', false],
])('a merchant gives the pages of a program a name, a color and a logo, %s', async (_how, javaScriptEnabled) => {
  const { session, at, join } = await make();
  const cookies = { tributary_session_3000: session };
  const { page, reports } = await openVisitor({ ...site, cookies, more: { javaScriptEnabled } });
  await page.goto(AT);
  expect(new URL(page.url()).pathname).toBe(at);
  await page.getByLabel('Name').fill('Acme Circle');
  await page.getByLabel('Color').fill('green');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Color must be a color such as #0b6e4f').waitFor();
  await page.getByLabel('Color').fill('#ffdd00');
  await page.getByLabel('Logo', { exact: false }).first().setInputFiles(LOGO);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Acme Circle');
  await page.getByRole('img', { name: 'Logo' }).waitFor();
  await page.getByRole('link', { name: 'Open the page to join' }).click();
  await page.getByRole('heading', { level: 1, name: 'Join Acme Partners' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(join);
  await expectLook(page, { color: 'rgb(255, 221, 0)', brand: 'Acme Circle' });
  expect(await page.title()).toBe('Join Acme Partners · Acme Circle');
  expect(reports).toEqual([]);
  await page.context().close();
});

test.each(['#ffdd00', '#0a0a0a'])('pages in %s are accessible, narrow enough and small', async (accentColor) => {
  const { session, at, join, update } = await make();
  await update({ ...OWN, accentColor });
  const cookies = { tributary_session_3000: session };
  const found: string[] = [];
  for (const path of [at, join, `${join}/code`]) found.push(...(await shownProblems({ ...site, cookies }, path)));
  expect(found).toEqual([]);
});

test('a name that is longer than a phone is wide fits', async () => {
  const { join } = await make({ name: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau Partner' });
  expect(await shownProblems(site, join)).toEqual([]);
});

const themeIn = (html: string): string | undefined => /<link rel="stylesheet" href="(\/themes\/[^"]+)">/.exec(html)?.[1];
const logoIn = (html: string): string | undefined => /<img src="(\/logos\/[^"]+)" alt="" width="96" height="32">/.exec(html)?.[1];

test('whoever joins, is a member or sees the page in an app is shown the same', async () => {
  const { update, join, key, programId, read } = await make();
  await update(OWN);
  const { affiliateId, profileId } = await makeAffiliate(api.runtime, programId);
  const { keyId } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const actor = { kind: 'key', keyId, keyType: 'affiliate', ownerId: profileId, scopes: SCOPES_OF.affiliate } as const;
  const session = sessions.open({ affiliate: { actor, ownerId: profileId, name: 'Ada Test', perMinute: 1_000 } });
  const { data: invite } = await api.call('POST', `/programs/${programId}/invites`, { key, body: {} });
  const { data: embed } = await api.call('POST', '/embed-tokens', { key, body: { affiliateId } });
  const of = `?program=${programId}`;
  const paths = [
    join,
    `${join}/code`,
    `${join}/link?token=x`,
    `/i/${invite.token}`,
    `/i/${invite.token}/code`,
    `/portal${join}`,
    `/portal/invites/${invite.token}`,
    `/portal/joined/${programId}`,
    `/portal/links${of}`,
    `/portal/earnings${of}`,
    `/embed?token=${embed.token}`,
  ];
  const logo = new URL((await read()).logo.url).pathname;
  for (const path of paths) {
    const { status, html } = await pages.get(path, { session });
    expect([path, status, pageProblems(html), logoIn(html)]).toEqual([path, 200, [], logo]);
    expect([path, themeIn(html), html.includes('Acme Circle</a>')]).toEqual([path, expect.stringMatching(/ffdd00/), true]);
  }
  expect((await pages.get('/portal/programs', { session })).html).not.toContain('Acme Circle</a>');
});

test('a program without anything of its own has its name where people join, and that of this server in the portal', async () => {
  const { join } = await make();
  const { html } = await pages.get(join);
  expect([html.includes('Acme Partners</a></header>'), themeIn(html), logoIn(html)]).toEqual([true, undefined, undefined]);
});

test('styles of a color can be loaded for ever, those of another version are not kept, and nothing else is a color', async () => {
  const { update, join } = await make();
  await update({ accentColor: '#0b6e4f' });
  const url = themeIn((await pages.get(join)).html) ?? '';
  const { headers, html: css } = await pages.get(url);
  expect(headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(css).toContain('#0b6e4f');
  const other = await pages.get('/themes/0b6e4f-00000000.css');
  expect([other.html, other.headers['cache-control']]).toEqual([css, 'no-cache']);
  for (const file of ['0b6e4f.css', '0b6e4g-00000000.css', '0b6e4f-00000000.css.map', '..%2f0b6e4f-00000000.css'])
    expect([file, (await pages.get(`/themes/${file}`)).status]).toEqual([file, 404]);
});

test('a file that is no logo is told beside its field, and the rest of the form is kept', async () => {
  const { session, at, read } = await make();
  const { status, html } = await send(at, session, { name: 'Acme Circle', accentColor: '', logo: Buffer.from('<svg/>') });
  expect([status, pageProblems(html)]).toEqual([422, []]);
  expect(html).toContain('<a href="#main-logo">Logo must be a PNG, JPEG or WebP image');
  expect(html).toMatch(/name="name" type="text" value="Acme Circle"/);
  const large = await send(at, session, { name: '', accentColor: '', logo: Buffer.alloc(300_000, 1) });
  expect([large.status, large.html.includes('must be an image of at most 32768 bytes')]).toEqual([422, true]);
  expect((await send(at, session, { logo: Buffer.alloc(2_000_000, 1) })).status).toBe(400);
  expect(await read()).toMatchObject({ name: null, logo: null });
});

test('an empty choice of a file leaves the logo, and it is removed when that is asked for', async () => {
  const { session, at, read, update } = await make();
  await update(OWN);
  const { logo } = await read();
  const rest = { name: 'Acme Circle', accentColor: '#ffdd00' };
  expect((await send(at, session, { ...rest, logo: Buffer.alloc(0) })).status).toBe(303);
  expect((await read()).logo).toEqual(logo);
  expect((await send(at, session, { ...rest, withoutLogo: 'on' })).status).toBe(303);
  expect((await read()).logo).toBeNull();
  expect((await send(at, session, { name: '', accentColor: '' })).status).toBe(303);
  expect(await read()).toMatchObject({ name: null, accentColor: null });
});

test('a form with files that is broken, or of another site, changes nothing', async () => {
  const { session, at, read } = await make();
  const post = (headers: Record<string, string>, payload: string) =>
    api.app.inject({
      method: 'POST',
      url: at,
      remoteAddress: anyAddress(),
      headers: { host: 'localhost:3000', cookie: `tributary_session_3000=${session}`, ...headers },
      payload,
    });
  const own = { 'sec-fetch-site': 'same-origin' };
  const type = 'multipart/form-data; boundary=x';
  const field = (name: string, value: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const part = `${field('sentForm', 'main')}${field('name', 'Evil')}--x--\r\n`;
  for (const [contentType, payload] of [
    ['multipart/form-data', part],
    [type, part.slice(0, 40)],
  ] as const)
    expect((await post({ ...own, 'content-type': contentType }, payload)).statusCode).toBe(400);
  expect((await post({ 'sec-fetch-site': 'cross-site', 'content-type': type }, part)).statusCode).toBe(403);
  expect((await read()).name).toBeNull();
  expect((await post({ ...own, 'content-type': type }, part)).statusCode).toBe(303);
  expect((await read()).name).toBe('Evil');
});

test('of several programs, the one that is chosen is shown; who may only read sees no form, and others see nothing', async () => {
  const merchant = await make();
  const second = await makeProgram(api, merchant.key, { name: 'Second' });
  const { session } = merchant;
  expect((await pages.get(AT, { session })).location).toBe(`${AT}/${second.programId}`);
  const chosen = await pages.get(`${AT}?program=${merchant.programId}`, { session });
  expect(chosen.location).toBe(merchant.at);
  const { html } = await pages.get(`${AT}/${second.programId}`, { session });
  expect(html).toMatch(/<option value="[^"]+" selected>Second<\/option>/);
  expect(html).toContain('The program has no page yet');
  const reader = sessions.open({ merchant: { ...merchant, actor: { ...merchant.actor, scopes: ['programs:read'] } as never } });
  const read = await pages.get(merchant.at, { session: reader });
  expect([read.status, read.html.includes('sentForm')]).toEqual([200, false]);
  const stranger = sessions.open({ merchant: await makeMerchantActing(pages) });
  expect((await pages.get(merchant.at, { session: stranger })).status).toBe(403);
  expect((await pages.get(AT, { session: stranger })).html).toContain('No programs yet');
});

test('script text in every field comes out as text', async () => {
  const { session, at, join, update } = await make();
  await update({ name: SCRIPT_TEXT.slice(0, 60) });
  for (const path of [at, join]) {
    const { html } = await pages.get(path, { session });
    expect([path, pageProblems(html), html.includes('&lt;script&gt;')]).toEqual([path, [], true]);
  }
  const again = await send(at, session, { name: SCRIPT_TEXT, accentColor: SCRIPT_TEXT });
  expect([again.status, pageProblems(again.html)]).toEqual([422, []]);
});
