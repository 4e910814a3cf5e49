import type { LightMyRequestResponse } from 'fastify';
import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { personSessions } from '../../src/console/sign-in/person-sessions.ts';
import { getProfileEmail } from '../../src/domains/affiliates/index.ts';
import { startMailTry } from '../../src/domains/notifications/index.ts';
import { createPersonInvite, createSignInLink } from '../../src/domains/people/index.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { anyAddress, useOwnApi } from '../support/api.ts';
import { hiddenFields, pageProblems } from '../support/console.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, unique } from '../support/factories.ts';
import { pngOf } from '../support/images.ts';
import { makeCompany, makePerson } from '../support/people.ts';

const mounts = [consoleOf({ pages: PAGES, sessions: personSessions })];
const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000' }, { mounts });
const system = { kind: 'system', name: 'test' } as const;
const COOKIE = 'tributary_session_3000';

/** A browser with its cookies. */
const openBrowser = () => {
  const cookies = new Map<string, string>();
  const headers = () => ({ host: 'localhost:3000', cookie: [...cookies].map((pair) => pair.join('=')).join('; ') });
  const keep = async (sent: Promise<LightMyRequestResponse>) => {
    const response = await sent;
    const cookie = response.cookies.find(({ name }) => name === COOKIE);
    for (const { name, value } of response.cookies) {
      if (value === '') cookies.delete(name);
      else cookies.set(name, encodeURIComponent(value));
    }
    return { status: response.statusCode, html: response.body, location: String(response.headers.location ?? ''), cookie };
  };
  const remoteAddress = anyAddress();
  return {
    get: (url: string) => keep(api.app.inject({ url, remoteAddress, headers: headers() })),
    post: (url: string, fields: Record<string, string>) =>
      keep(
        api.app.inject({
          method: 'POST',
          url,
          remoteAddress,
          headers: {
            ...headers(),
            'content-type': 'application/x-www-form-urlencoded',
            'sec-fetch-site': 'same-origin',
            origin: 'http://localhost:3000',
          },
          payload: new URLSearchParams(fields).toString(),
        }),
      ),
    cookie: () => cookies.get(COOKIE),
    steal: (stolen = '') => void cookies.set(COOKIE, stolen),
  };
};

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

const linkFor = async (email: string): Promise<string> =>
  pathOf((await createSignInLink(api.runtime.context(system), { email })).url);

/** Opens the link of a mail, and presses the button. */
const follow = async (browser: ReturnType<typeof openBrowser>, link: string) => {
  const { html } = await browser.get(link);
  return browser.post(link.split('?')[0] ?? '', hiddenFields(html));
};

test('a link signs in when its button is pressed, not when it is opened', async () => {
  const { owner } = await makeCompany(api);
  const link = await linkFor(owner.email);
  const scanner = openBrowser();
  for (let n = 0; n < 3; n++) {
    const opened = await scanner.get(link);
    expect([opened.status, opened.cookie, pageProblems(opened.html)]).toEqual([200, undefined, []]);
  }
  const browser = openBrowser();
  const signedIn = await follow(browser, link);
  expect(signedIn).toMatchObject({ status: 303, location: '/console' });
  expect(signedIn.cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 14 * 24 * 60 * 60 });
  expect((await browser.get('/console/settings/sessions')).status).toBe(200);
  expect(await follow(openBrowser(), link)).toMatchObject({ status: 303, location: '/sign-in' });
});

test('the code of the mail signs in, and leads to the page that was asked for', async () => {
  const { owner } = await makeCompany(api);
  const browser = openBrowser();
  const asked = await browser.get('/sign-in?next=%2Fconsole%2Fsettings%2Fsessions');
  const sent = await browser.post('/sign-in', { ...hiddenFields(asked.html), email: owner.email });
  const id = new URL(sent.location, 'http://localhost:3000').searchParams.get('id') ?? '';
  const ctx = api.runtime.context(system);
  const mail = await firstRow(ctx.em, sql<{ id: string }>`select id from mail where subject_id = ${id}::uuid`);
  const step = await startMailTry(ctx, { mailId: mail?.id ?? '' });
  const code = step.kind === 'send' ? (/\b\d{3} \d{3}\b/.exec(step.mail.text)?.[0] ?? '') : '';
  const form = hiddenFields((await browser.get(sent.location)).html);
  const wrong = await browser.post('/sign-in/code', { ...form, code: code === '000 000' ? '000 001' : '000 000' });
  expect(wrong.location).toContain('/sign-in/code?');
  const right = await browser.post('/sign-in/code', { ...form, code });
  expect(right).toMatchObject({ status: 303, location: '/console/settings/sessions' });
});

test('who has no passkey gets from its page to the sign-in by mail, and on to the page that was asked for', async () => {
  const { html } = await openBrowser().get('/sign-in/passkey?next=%2Fportal%2Flinks');
  expect(html).toContain('<a href="/sign-in?next=%2Fportal%2Flinks">Sign in by email</a>');
});

test('the pages say the same of an address that nobody has', async () => {
  const { owner } = await makeCompany(api);
  const ask = async (email: string) => {
    const browser = openBrowser();
    const { html } = await browser.get('/sign-in');
    const { status, location } = await browser.post('/sign-in', { ...hiddenFields(html), email });
    const page = await browser.get(location);
    return { status, path: location.split('?')[0], html: page.html.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '') };
  };
  expect(await ask(`nobody-${unique()}@example.com`)).toEqual(await ask(owner.email));
});

test('an affiliate without a merchant comes to the portal', async () => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const profile = await firstRow(
    api.runtime.context(system).em,
    sql<{ email: string }>`select email from affiliate_profile where id = ${profileId}::uuid`,
  );
  const browser = openBrowser();
  expect((await follow(browser, await linkFor(profile?.email ?? ''))).location).toBe('/portal');
  const portal = await browser.get('/portal');
  expect([portal.status, pageProblems(portal.html)]).toEqual([200, []]);
  expect((await browser.get('/console')).status).toBe(403);
  expect((await browser.get('/sign-in')).location).toBe('/portal');
});

test('pages of the portal look like the only program, and like this server in case of several', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const look = { name: 'Acme Circle', accentColor: '#0b6e4f', logo: pngOf(96, 32).toString('base64') };
  const { data: portal } = await api.call('PATCH', `/programs/${programId}/portal`, { key, body: look });
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const browser = openBrowser();
  await follow(browser, await linkFor(await getProfileEmail(api.runtime.context(system), profileId)));
  const own = (html: string) => [
    html.includes('Acme Circle</a>'),
    html.includes('/themes/0b6e4f'),
    html.includes('src="/logos/'),
  ];
  const paths = ['', '/payouts', '/details', '/programs', '/notifications', '/keys', '/links', '/earnings'].map(
    (at) => `/portal${at}`,
  );
  for (const path of paths) expect([path, own((await browser.get(path)).html)]).toEqual([path, [true, true, true]]);
  expect((await browser.get('/portal')).html).toContain(new URL(portal.logo.url).pathname);
  const second = await makeProgram(api, key, { name: 'Second', autoApproveAffiliates: true });
  const { token } = (await api.call('POST', `/programs/${second.programId}/invites`, { key, body: {} })).data;
  expect((await browser.get(`/portal/invites/${token}`)).html).toContain('Second</a>');
  const member = await makeAffiliateKey(api.runtime, profileId);
  expect((await api.call('POST', `/invites/${token}/claim`, { key: member })).status).toBe(201);
  for (const path of ['/portal', '/portal/details'])
    expect([path, own((await browser.get(path)).html)]).toEqual([path, [false, false, false]]);
});

test('an invite is accepted with a name, once', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const email = `grace-${unique()}@acme.example`;
  const { url } = await createPersonInvite(api.runtime.context(system), { merchantId, email, role: 'owner' });
  const browser = openBrowser();
  const { html } = await browser.get(pathOf(url));
  expect([html.includes(email), pageProblems(html)]).toEqual([true, []]);
  const accepted = await browser.post('/sign-in/invite', { ...hiddenFields(html), name: 'Grace Holt' });
  expect(accepted).toMatchObject({ status: 303, location: '/console' });
  expect((await openBrowser().get(pathOf(url))).location).toBe('/sign-in');
});

test('signing out, or ending a session elsewhere, makes its cookie useless', async () => {
  const { owner } = await makeCompany(api);
  const [first, second] = [openBrowser(), openBrowser()];
  for (const browser of [first, second]) await follow(browser, await linkFor(owner.email));
  const stolen = second.cookie();
  const { html } = await first.get('/console/settings/sessions');
  expect(pageProblems(html)).toEqual([]);
  const out = await second.post('/sign-out', {});
  expect([out.location, second.cookie()]).toEqual(['/sign-in', undefined]);
  second.steal(stolen);
  expect((await second.get('/console/settings/sessions')).location).toMatch(/^\/sign-in/);
  const third = openBrowser();
  await follow(third, await linkFor(owner.email));
  const fields = hiddenFields((await first.get('/console/settings/sessions')).html);
  for (let n = 0; n < 2; n++) {
    const shown = hiddenFields((await first.get('/console/settings/sessions')).html);
    if (shown['sessionId']) await first.post('/console/settings/sessions', { ...fields, ...shown });
  }
  expect((await third.get('/console/settings/sessions')).location).toMatch(/^\/sign-in/);
  expect((await first.get('/console/settings/sessions')).status).toBe(200);
});

test('a form of another site signs nobody in', async () => {
  const { owner } = await makeCompany(api);
  const link = await linkFor(owner.email);
  const { html } = await openBrowser().get(link);
  const response = await api.app.inject({
    method: 'POST',
    url: '/sign-in/link',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site', host: 'localhost:3000' },
    payload: new URLSearchParams(hiddenFields(html)).toString(),
  });
  expect([response.statusCode, response.cookies]).toEqual([403, []]);
  expect((await follow(openBrowser(), link)).location).toBe('/console');
});

test('an invite to an address that has an account leads to sign-in, and from there to accepting', async () => {
  const { owner } = await makeCompany(api);
  const { merchantId } = await makeMerchant(api.runtime);
  const { url } = await createPersonInvite(api.runtime.context(system), { merchantId, email: owner.email, role: 'owner' });
  const { pathname, search } = new URL(url);
  const browser = openBrowser();
  const { html } = await browser.get(`${pathname}${search}`);
  expect(html).toContain('You already have an account with this address.');
  expect(html).not.toContain('name="name"');
  const [, signInAt = ''] = /href="(\/sign-in\?next=[^"]+)"/.exec(html) ?? [];
  await browser.post('/sign-in', {
    ...hiddenFields((await browser.get(signInAt.replaceAll('&amp;', '&'))).html),
    email: owner.email,
  });
  expect((await follow(browser, await linkFor(owner.email))).location).toBe(`${pathname}${search}`);
  const form = hiddenFields((await browser.get(`${pathname}${search}`)).html);
  const other = openBrowser();
  await follow(other, await linkFor((await makeCompany(api)).owner.email));
  const refused = await other.post('/sign-in/invite', { ...form, name: 'Mallory' });
  expect([refused.status, refused.location]).toEqual([303, `${pathname}${search}`]);
  const accepted = await browser.post('/sign-in/invite', { ...form, name: 'Grace' });
  expect(accepted).toMatchObject({ status: 303, location: '/console' });
  expect(hiddenFields((await browser.get('/console/settings/notifications')).html)['actingFor']).toContain(merchantId);
});

test('a person of two companies acts for the one they chose, and a form that was opened for the other one has no effect', async () => {
  const { owner, merchantId } = await makeCompany(api);
  const second = await makeMerchant(api.runtime);
  await makePerson(api, { merchantId: second.merchantId, email: owner.email });
  const browser = openBrowser();
  await follow(browser, await linkFor(owner.email));
  const stale = hiddenFields((await browser.get('/console/settings/notifications')).html);
  expect((await browser.get('/console')).html).toContain('href="/console/companies"');
  const { html } = await browser.get('/console/companies');
  expect(pageProblems(html)).toEqual([]);
  const chosen = await browser.post('/console/companies', hiddenFields(html));
  expect(chosen).toMatchObject({ status: 303, location: '/console' });
  expect(hiddenFields((await browser.get('/console/settings/notifications')).html)['actingFor']).toContain(second.merchantId);
  expect(stale['actingFor']).toContain(merchantId);
  const refused = await browser.post('/console/settings/notifications', stale);
  expect([refused.status, refused.html]).toEqual([409, expect.stringContaining('The page was opened for another company')]);
});

test('a form that one person opened is not sent as another who has signed in since with the same browser', async () => {
  const { owner, merchantId } = await makeCompany(api);
  const other = await makePerson(api, { merchantId });
  const browser = openBrowser();
  await follow(browser, await linkFor(owner.email));
  const stale = hiddenFields((await browser.get('/console/settings/notifications')).html);
  await follow(browser, await linkFor(other.email));
  const refused = await browser.post('/console/settings/notifications', stale);
  expect([refused.status, refused.html]).toEqual([409, expect.stringContaining('by another person')]);
  const own = hiddenFields((await browser.get('/console/settings/notifications')).html);
  expect((await browser.post('/console/settings/notifications', own)).status).toBe(303);
});

test('a link says whom it signs in and whom it signs out, and leads to the page that this browser asked for', async () => {
  const [{ owner }, { owner: other }] = [await makeCompany(api), await makeCompany(api)];
  const browser = openBrowser();
  await follow(browser, await linkFor(other.email));
  const link = await linkFor(owner.email);
  const { html } = await browser.get(link);
  expect(html).toContain(`This signs you in as ${owner.email}.`);
  expect(html).toContain('You are signed in as Grace Holt now, and will be signed out.');
  expect((await openBrowser().get(link)).html).not.toContain('will be signed out');
  await browser.post('/sign-out', {});
  const asked = await browser.get('/console/settings/people');
  await browser.post('/sign-in', { ...hiddenFields((await browser.get(asked.location)).html), email: owner.email });
  expect(await follow(browser, link)).toMatchObject({ status: 303, location: '/console/settings/people' });
  expect((await browser.get(link)).html).not.toContain(owner.email);
});
