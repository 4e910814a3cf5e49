import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getProfileEmail } from '../../src/domains/affiliates/index.ts';
import { mailsAbout } from '../domains/notifications/support.ts';
import { anyAddress, useOwnApi } from '../support/api.ts';
import { hiddenFields, pageProblems } from '../support/console.ts';
import { newHost, useDnsServer } from '../support/dns-server.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, unique } from '../support/factories.ts';
import { makePayout } from '../support/payouts.ts';
import { mailedProof } from '../support/people.ts';

const OWN = 'refer.tributary.example';
const TOKEN = 'of-the-proxy-only';
const api = useOwnApi({ PUBLIC_URL: `https://${OWN}`, TLS_ASK_TOKEN: TOKEN });
const dns = useDnsServer();
let port: number;
beforeAll(async () => {
  api.runtime.settings.findTxtRecords = dns.find;
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = api.app.server.address() as AddressInfo);
});

type Headers = Record<string, string>;

/** Opens a page over HTTP, as a proxy passes it on: under a name, from an address of its own. With fields, it posts them. */
const open = async (host: string, path: string, headers: Headers = {}, fields: Record<string, string> | null = null) => {
  const asked = request({
    host: '127.0.0.1',
    port,
    localAddress: anyAddress(),
    path,
    method: fields ? 'POST' : 'GET',
    headers: {
      host,
      ...(fields && {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: `https://${host}`,
      }),
      ...headers,
    },
  });
  asked.end(fields && new URLSearchParams(fields).toString());
  const [response] = await once(asked, 'response');
  const cookies: string[] = response.headers['set-cookie'] ?? [];
  return { status: response.statusCode as number, headers: response.headers, cookies, body: await text(response) };
};

const post = (host: string, path: string, fields: Record<string, string>, headers: Headers = {}) =>
  open(host, path, headers, fields);

const statusesOf = async (host: string, paths: readonly string[], headers: Headers = {}) =>
  Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await open(host, path, headers)).status] as const)));

const each = (paths: readonly string[], status: number) => Object.fromEntries(paths.map((path) => [path, status]));

/** Shows the pages of a program under a domain of its merchant. */
const verifyDomain = async (key: string, portal: string): Promise<void> => {
  const { record } = (await api.call('GET', portal, { key })).data.domain;
  await dns.set(record.name, [record.content]);
  expect((await api.call('POST', `${portal}/domain/verify`, { key })).status).toBe(200);
};

const showUnderDomain = async (key: string, programId: string) => {
  const [host, portal] = [newHost(), `/programs/${programId}/portal`];
  await api.call('PATCH', portal, { key, body: { name: 'Acme Circle', accentColor: '#0b6e4f' } });
  await api.call('PUT', `${portal}/domain`, { key, body: { host } });
  await verifyDomain(key, portal);
  return { host, portal };
};

const makeSite = async () => {
  const { key } = await makeMerchant(api.runtime);
  const portalSlug = `acme-${unique()}`;
  const { programId } = await makeProgram(api, key, { name: 'Acme Partners', portalSlug, autoApproveAffiliates: true });
  const invite = async () => (await api.call('POST', `/programs/${programId}/invites`, { key, body: {} })).data.token as string;
  return { key, portalSlug, programId, join: `/join/${portalSlug}`, invite, ...(await showUnderDomain(key, programId)) };
};

const emailOf = (profileId: string) => getProfileEmail(api.runtime.context({ kind: 'system', name: 'test' }), profileId);

const signInIdIn = (location: unknown): string => new URL(String(location), 'https://x.example').searchParams.get('id') ?? '';

/** Reads what was mailed to the person who asked for it. */
const mailFor = async (signInId: string) => {
  const mail = await mailedProof(api, signInId);
  if (!mail) throw new Error('nothing was mailed');
  return { ...mail, host: new URL(mail.link).hostname, path: mail.link.slice(new URL(mail.link).origin.length) };
};

const cookieIn = ({ cookies }: { cookies: string[] }): string =>
  cookies.find((line) => line.startsWith('__Host-tributary_session='))?.split(';')[0] ?? '';

/** Signs somebody in under a name, with the link of a mail. Returns the cookie. */
const signIn = async (host: string, email: string): Promise<string> => {
  const started = await post(host, '/sign-in', { email, next: '' });
  const { path } = await mailFor(signInIdIn(started.headers.location));
  return cookieIn(await post(host, '/sign-in/link', hiddenFields((await open(host, path)).body)));
};

test('under the domain of a program, its pages are shown as its own, and no other page', async () => {
  const [site, other] = [await makeSite(), await makeSite()];
  const { host, join } = site;
  const start = await open(host, '/');
  expect([start.status, start.headers.location]).toEqual([302, join]);
  const own = [join, `${join}/code`, `/i/${await site.invite()}`, '/sign-in', '/sign-in/code', '/sign-out'];
  for (const path of own) {
    const { status, body } = await open(host, path);
    expect([path, status, pageProblems(body)]).toEqual([path, 200, []]);
    expect([path, body.includes('Acme Circle</a>'), /\/themes\/0b6e4f/.test(body)]).toEqual([path, true, true]);
    expect([path, /sign-in\/passkey|sign-up/.test(body)]).toEqual([path, false]);
  }
  expect((await open(host, '/portal')).headers.location).toBe('/sign-in?next=%2Fportal');
  const stylesheet = /href="(\/assets\/console-[^"]+)"/.exec((await open(host, join)).body)?.[1] ?? '';
  expect((await open(host, stylesheet)).status).toBe(200);
  const absent = [
    other.join,
    `${other.join}/code`,
    `/i/${await other.invite()}`,
    `/i/${await other.invite()}/code`,
    `/portal${other.join}`,
    `/portal/invites/${await other.invite()}`,
    '/console',
    '/console/settings',
    '/sign-up',
    '/sign-in/passkey',
    '/sign-in/invite?token=x',
  ];
  expect(await statusesOf(host, absent)).toEqual(each(absent, 404));
  expect(await statusesOf(host.toUpperCase(), [join, other.join])).toEqual({ [join]: 200, [other.join]: 404 });
  expect(await statusesOf(`${host}:8443`, [join, other.join])).toEqual({ [join]: 200, [other.join]: 404 });
});

test('under a name that nobody has proved, no page is shown', async () => {
  const [site, { key, programId }] = [await makeSite(), await makeSite()];
  const host = newHost();
  await api.call('PUT', `/programs/${programId}/portal/domain`, { key, body: { host } });
  const paths = [site.join, '/sign-in', '/portal', '/console', '/embed?token=x'];
  for (const name of [host, 'evil.example', `sub.${site.host}`, `sub.${OWN}`])
    expect([name, await statusesOf(name, paths)]).toEqual([name, each(paths, 404)]);
  expect((await open(host, '/')).headers.location).toBe('/docs/');
  expect(await statusesOf(host, ['/health/live', '/api/v1/openapi.json'])).toEqual({
    '/health/live': 200,
    '/api/v1/openapi.json': 200,
  });
  // The sender is not a trusted proxy.
  const forwarded = { 'x-forwarded-host': site.host };
  expect(await statusesOf(host, [site.join], forwarded)).toEqual({ [site.join]: 404 });
});

test('a removed or changed domain, and one of an archived program, ends at once', async () => {
  const [removed, changed, archived] = [await makeSite(), await makeSite(), await makeSite()];
  await api.call('DELETE', `${removed.portal}/domain`, { key: removed.key });
  await api.call('PUT', `${changed.portal}/domain`, { key: changed.key, body: { host: newHost() } });
  await api.call('DELETE', `/programs/${archived.programId}`, { key: archived.key });
  for (const { host, join } of [removed, changed, archived]) expect((await open(host, join)).status).toBe(404);
  expect((await api.call('DELETE', `${archived.portal}/domain`, { key: archived.key })).status).toBe(200);
});

test('somebody joins there, and is shown what is of this merchant only', async () => {
  const { host, join } = await makeSite();
  const email = `ada-${unique()}@blog.example`;
  const asked = await post(host, join, { ...hiddenFields((await open(host, join)).body), email, name: 'Ada' });
  const mail = await mailFor(signInIdIn(asked.headers.location));
  expect([mail.host, mail.path.startsWith(`${join}/link?token=`)]).toEqual([host, true]);
  const signedUp = await post(host, `${join}/link`, hiddenFields((await open(host, mail.path)).body));
  expect(signedUp.cookies[0]).toMatch(/^__Host-tributary_session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  const cookie = cookieIn(signedUp);
  const terms = hiddenFields((await open(host, `/portal${join}`, { cookie })).body);
  const joined = await post(host, `/portal${join}`, terms, { cookie });
  expect(joined.headers.location).toMatch(/^\/portal\/joined\//);
  const { status, body } = await open(host, String(joined.headers.location), { cookie });
  // Links to share stay what they are when the domain ends.
  expect([status, body.includes(`https://${OWN}/r/`), body.includes(`https://${OWN}/portal"`)]).toEqual([200, true, true]);
  const overview = (await open(host, '/portal', { cookie })).body;
  const offered = (page: string) => overview.includes(`href="/portal/${page}"`);
  expect(['links', 'earnings', 'payouts'].map(offered)).toEqual([true, true, true]);
  expect(['details', 'passkeys', 'keys', 'programs', 'notifications', 'sessions'].filter(offered)).toEqual([]);
  expect(overview).toContain(`<a href="https://${OWN}/portal">${OWN}</a>`);
  const refused = ['/portal/details', '/portal/passkeys', '/portal/keys', '/portal/programs', '/portal/notifications'];
  expect(await statusesOf(host, refused, { cookie })).toEqual(each(refused, 403));
  const made = await post(
    host,
    '/portal/links',
    { ...hiddenFields((await open(host, '/portal/links', { cookie })).body), sentForm: 'create', name: 'Blog' },
    { cookie },
  );
  expect(made.status).toBe(303);
});

test('a session of a domain shows nothing of other merchants, and no session is good under another name', async () => {
  const payout = await makePayout(api);
  const { profileId, key, programId, payoutId } = payout;
  const { host } = await showUnderDomain(key, programId);
  const stranger = await makeSite();
  const member = await makeAffiliateKey(api.runtime, profileId);
  expect((await api.call('POST', `/invites/${await stranger.invite()}/claim`, { key: member })).status).toBe(201);
  const email = await emailOf(profileId);
  const [there, elsewhere, here] = [await signIn(host, email), await signIn(stranger.host, email), await signIn(OWN, email)];
  const seen = async (at: string, cookie: string, path: string) =>
    (await open(at, path, { cookie })).body.includes('Acme Partners');
  expect(await seen(OWN, here, '/portal')).toBe(true);
  expect(await seen(stranger.host, elsewhere, '/portal')).toBe(true);
  expect(await seen(host, there, '/portal')).toBe(false);
  expect(await seen(host, there, `/portal/links?program=${stranger.programId}`)).toBe(false);
  const own = [`/portal/payouts/${payoutId}`, '/portal/payouts'];
  expect(await statusesOf(host, own, { cookie: there })).toEqual(each(own, 200));
  expect((await open(stranger.host, `/portal/payouts/${payoutId}`, { cookie: elsewhere })).status).toBe(403);
  expect((await open(stranger.host, '/portal/payouts', { cookie: elsewhere })).body).not.toContain(payoutId);
  const others = { sentForm: 'create', program: programId, name: 'x', page: '', code: '' };
  const form = hiddenFields((await open(stranger.host, '/portal/links', { cookie: elsewhere })).body);
  expect((await post(stranger.host, '/portal/links', { ...form, ...others }, { cookie: elsewhere })).status).toBe(403);
  for (const [at, cookie] of [
    [OWN, there],
    [host, here],
    [host, elsewhere],
    [stranger.host, there],
  ] as const)
    expect((await open(at, '/portal', { cookie })).headers.location).toBe('/sign-in?next=%2Fportal');
});

test('IN4: what began under a domain ends with it: no session, link or code is good under the next one, or under the same proved again', async () => {
  const { host, programId, key, portal } = await makeSite();
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const email = await emailOf(profileId);
  const cookie = await signIn(host, email);
  const asked = await mailFor(signInIdIn((await post(host, '/sign-in', { email, next: '' })).headers.location));
  const isGood = async (at: string) => [
    (await open(at, '/portal', { cookie })).status,
    (await open(at, asked.path)).body.includes(email),
  ];
  expect(await isGood(host)).toEqual([200, true]);
  const { host: next } = await showUnderDomain(key, programId);
  expect(await isGood(next)).toEqual([303, false]);
  expect((await api.call('PUT', `${portal}/domain`, { key, body: { host } })).status).toBe(200);
  await verifyDomain(key, portal);
  expect(await isGood(host)).toEqual([303, false]);
});

test('a mailed link or code is good under the name only where it was asked for', async () => {
  const { host, programId } = await makeSite();
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const email = await emailOf(profileId);
  const ask = async (at: string, headers: Headers = {}) => {
    const id = signInIdIn((await post(at, '/sign-in', { email, next: '' }, headers)).headers.location);
    return { id, ...(await mailFor(id)) };
  };
  const use = async (at: string, { id, token, code }: Awaited<ReturnType<typeof ask>>) => {
    const byLink = await post(at, '/sign-in/link', { ...hiddenFields((await open(at, '/sign-in/link')).body), token });
    const byCode = await post(at, '/sign-in/code', {
      ...hiddenFields((await open(at, '/sign-in/code')).body),
      signInId: id,
      code,
    });
    return [cookieIn(byLink), cookieIn(byCode)].filter((cookie) => cookie !== '').length;
  };
  const [there, here] = [await ask(host), await ask(OWN, { 'x-forwarded-host': host, forwarded: `host=${host}` })];
  expect([there.host, here.host]).toEqual([host, OWN]);
  expect([await use(OWN, there), await use(host, here)]).toEqual([0, 0]);
  expect([await use(host, there), await use(OWN, here)]).toEqual([1, 1]);
});

test('a form of another name is refused', async () => {
  const [{ host, join }, other] = [await makeSite(), await makeSite()];
  const fields = { ...hiddenFields((await open(host, join)).body), email: `ada-${unique()}@blog.example`, name: 'Ada' };
  const foreign: Headers[] = [
    { origin: `https://${other.host}`, 'sec-fetch-site': 'cross-site' },
    { origin: `https://${OWN}`, 'sec-fetch-site': 'same-site' },
    { origin: `https://${OWN}` },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of foreign) expect([headers, (await post(host, join, fields, headers)).status]).toEqual([headers, 403]);
  expect((await post(host, join, fields)).status).toBe(303);
});

test('an embedded page has the domain of its program, and shows nothing under that of another merchant', async () => {
  const [site, other] = [await makeSite(), await makeSite()];
  const { key, programId, host } = site;
  await api.call('PATCH', `/programs/${programId}`, { key, body: { embedOrigins: ['https://app.acme.example'] } });
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const { url } = (await api.call('POST', '/embed-tokens', { key, body: { affiliateId } })).data;
  expect(new URL(url).host).toBe(host);
  const path = url.slice(`https://${host}`.length);
  const shown = await open(host, path);
  expect(shown.status).toBe(200);
  expect(shown.headers['content-security-policy']).toContain('frame-ancestors https://app.acme.example;');
  expect(shown.headers['set-cookie']).toBeUndefined();
  expect(await Promise.all([OWN, other.host].map(async (name) => (await open(name, path)).status))).toEqual([200, 401]);
});

test('an invite is mailed with the domain of the program', async () => {
  const { key, host, programId } = await makeSite();
  const email = `ada-${unique()}@blog.example`;
  const { data } = await api.call('POST', `/programs/${programId}/invites`, { key, body: { email, sendMail: true } });
  const [mail] = await mailsAbout(api.runtime, programId);
  expect(mail?.text).toContain(`https://${host}/i/${data.token}`);
});

test('a proxy is told for which names it may obtain a certificate, however often it asks', async () => {
  const { host } = await makeSite();
  const askFrom = (remoteAddress: string, query: Record<string, string>) =>
    api.app.inject({ url: `/tls/ask?${new URLSearchParams({ token: TOKEN, ...query })}`, remoteAddress });
  const ask = async (domain: string) => (await askFrom(anyAddress(), { domain })).statusCode;
  expect(await Promise.all([host, OWN, 'evil.example', '127.0.0.1', ''].map(ask))).toEqual([200, 404, 404, 404, 404]);
  expect((await askFrom(anyAddress(), {})).statusCode).toBe(404);
  for (let asked = 0; asked < 700; asked += 50)
    await Promise.all(Array.from({ length: 50 }, () => askFrom('10.9.9.9', { domain: 'evil.example' })));
  expect((await askFrom('10.9.9.9', { domain: host })).statusCode).toBe(200);
});
