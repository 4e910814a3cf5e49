import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mayCall, type OperationId, operationOf } from '../../src/api/pipeline/call-operation.ts';
import { OPERATIONS, PERSON_OPERATIONS } from '../../src/api/routes.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { openEmbed } from '../../src/domains/affiliates/index.ts';
import { createEmbedToken } from '../../src/domains/affiliates/use-cases/create-embed-token.ts';
import { createAffiliate } from '../../src/domains/applications/index.ts';
import { erasePerson } from '../../src/domains/me/index.ts';
import { type Actor, inTransaction } from '../../src/platform/context.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { makeMerchantActing, pageProblems, SCRIPT_TEXT, useConsole } from '../support/console.ts';
import { makeKey, makeMerchant, makeProgram, sendSale, type TestMerchant, unique } from '../support/factories.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { makePayout } from '../support/payouts.ts';
import { callAs } from '../support/people.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const system = { kind: 'system', name: 'test' } as const;
const site = useBrowserOn(api);
let appPort: number;

/** An app of a merchant, under every host name. */
const app = createServer(({ url = '/' }, response) => {
  const src = new URL(url, 'http://app.example').searchParams.get('src');
  const frame = src && `<iframe allow="clipboard-write" width="800" height="800" src="${src}"></iframe>`;
  response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html><title>App</title>${frame ?? ''}`);
});
beforeAll(async () => {
  await once(app.listen(0, '127.0.0.1'), 'listening');
  appPort = (app.address() as AddressInfo).port;
});
afterAll(() => app.close());

const APP = 'https://app.acme.example';
const PATHS = ['/embed', '/embed/links', '/embed/payouts'] as const;

const tokenOf = async (key: string, affiliateId: string): Promise<string> =>
  (await api.call('POST', '/embed-tokens', { key, body: { affiliateId } })).data.token;

const at = (path: string, token: string, more: Record<string, string> = {}): string =>
  `${path}?${new URLSearchParams({ token, ...more })}`;

/** An affiliate who was paid 20.00 by a merchant whose app may show the pages. */
const makePaid = async (program: Record<string, unknown> = { name: 'Acme Club', embedOrigins: [APP] }) => {
  const payout = await makePayout(api, { program });
  await payout.act('process');
  await payout.act('complete', { bankReference: 'E2E-2026-000079' });
  return { ...payout, token: await tokenOf(payout.key, payout.affiliateId) };
};

/** The same person in another program, with a sale of their own. */
const join = async ({ key }: Pick<TestMerchant, 'key'>, email: string, name: string) => {
  const program = await makeProgram(api, key, { name, website: 'https://acme.example' });
  const affiliate = await inTransaction(api.runtime.context(system), (ctx) =>
    createAffiliate(ctx, { programId: program.programId, email, name: 'Ada Test', source: 'api', payout: {} }),
  );
  await sendSale(api, program, { saleId: `sale-${unique()}`, amount: 77_700, referralCode: affiliate.code });
  return { ...program, ...affiliate };
};

const linkCodeOf = async (key: string, affiliateId: string): Promise<string> =>
  (await api.call('GET', `/affiliates/${affiliateId}/links`, { key })).data[0].code;

const emailOf = async (key: string, affiliateId: string): Promise<string> =>
  (await api.call('GET', `/affiliates/${affiliateId}`, { key })).data.email;

const actorOf = async (token: string): Promise<Actor> => {
  const actor = (await openEmbed(api.runtime.context({ kind: 'anonymous' }), token))?.actor;
  if (!actor) throw new Error('the token has ended');
  return actor;
};

test('the pages show what was earned and paid, and links with a QR code, in frames of the apps of the program only', async () => {
  const { token, key, affiliateId } = await makePaid();
  const shown = await Promise.all(PATHS.map((path) => pages.get(at(path, token))));
  expect(shown.map(({ status, html }) => [status, pageProblems(html)])).toEqual(PATHS.map(() => [200, []]));
  expect(shown[0]?.html).toMatch(/Acme Club.*Earned.*\$20\.00.*Acme Club/s);
  expect(shown[1]?.html).toContain(`/r/${await linkCodeOf(key, affiliateId)}`);
  expect(shown[1]?.html).toContain('<svg class="qr"');
  expect(shown[2]?.html).toMatch(/\$20\.00.*Paid/s);
  for (const { headers, cookies } of shown) {
    expect(headers['content-security-policy']).toContain(`frame-ancestors ${APP};`);
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    expect([headers['x-frame-options'], cookies]).toEqual([undefined, {}]);
  }
  const german = await pages.get(at('/embed', token), { headers: { 'accept-language': 'de-DE' } });
  expect(german.html).toMatch(/Verdient.*20,00/s);
});

test('without apps of the program, no page is shown in a frame', async () => {
  const { token } = await makePaid({});
  const { status, headers } = await pages.get(at('/embed', token));
  expect([status, headers['x-frame-options']]).toEqual([200, 'DENY']);
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
});

test('only programs of the merchant are shown: neither their money nor their links or payouts of another one', async () => {
  const own = await makePaid();
  const email = await emailOf(own.key, own.affiliateId);
  const second = await join(own, email, 'Acme Second');
  const stranger = await makeMerchant(api.runtime);
  const other = await join(stranger, email, 'Elsewhere');
  const otherCode = await linkCodeOf(stranger.key, other.affiliateId);
  const overview = (await pages.get(at('/embed', own.token))).html;
  expect(overview).toMatch(/\$175\.40.*Acme Second.*Acme Club/s);
  const links = await pages.get(at('/embed/links', own.token, { program: other.programId }));
  expect([links.status, links.html.includes(await linkCodeOf(own.key, second.affiliateId))]).toEqual([200, true]);
  const actor = await actorOf(own.token);
  expect((await callAs(pages.api, actor, 'listLinks', { query: { program_id: other.programId } })).data).toEqual([]);
  for (const html of [overview, links.html, (await pages.get(at('/embed/payouts', own.token))).html])
    expect([html.includes('Elsewhere'), html.includes(otherCode)]).toEqual([false, false]);
  const payouts = await callAs(pages.api, actor, 'listMyPayouts', {});
  expect(payouts.data.map(({ affiliateId }) => affiliateId)).toEqual([own.affiliateId]);
  const elsewhere = { ...actor, merchantId: other.programId } as Actor;
  expect((await callAs(pages.api, elsewhere, 'listMyPayouts', {})).data).toEqual([]);
  expect((await callAs(pages.api, elsewhere, 'listMyPrograms', {})).data).toEqual([]);
  expect((await callAs(pages.api, elsewhere, 'getMyEarnings', {})).data).toMatchObject({ total: 0, byCurrency: [] });
});

test('an embedded page may call four operations that only read, and what is public', async () => {
  const actor = await actorOf((await makePaid()).token);
  const allowed = [...OPERATIONS, ...PERSON_OPERATIONS]
    .map(({ id }) => id as OperationId)
    .filter((id) => operationOf(id).access !== 'public' && mayCall(id, actor));
  expect(allowed.toSorted()).toEqual(['getMyEarnings', 'listLinks', 'listMyPayouts', 'listMyPrograms']);
});

test('a token opens nothing but the embedded pages, and a session none of them', async () => {
  const { token } = await makePaid();
  for (const path of ['/portal', '/portal/details', '/console'])
    expect((await pages.get(at(path, token))).location).toMatch(/^\/sign-in\?/);
  const merchant = await makeMerchantActing(pages);
  expect((await pages.get('/embed', { session: sessions.open({ merchant }) })).status).toBe(401);
});

/** Neither figures nor names, but still in the frame: the app shows why. */
const expectEnded = async (token: string, frames = APP) => {
  for (const path of PATHS) {
    const { status, html, headers } = await pages.get(at(path, token));
    expect([status, html.includes('This view has ended'), html.includes('$20.00')]).toEqual([401, true, false]);
    expect(headers['content-security-policy']).toContain(`frame-ancestors ${frames};`);
    expect(pageProblems(html)).toEqual([]);
  }
};

test('an expired token shows nothing', async () => {
  const { merchantId, keyId, affiliateId } = await makePaid();
  const scopes = ['affiliates:manage'];
  const ctx = api.runtime.context({ kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes });
  const issue = (minutesAgo: number) =>
    createEmbedToken({ ...ctx, clock: { now: () => new Date(Date.now() - minutesAgo * 60_000) } }, { affiliateId });
  await expectEnded((await issue(15.01)).token);
  expect((await pages.get(at('/embed', (await issue(14.5)).token))).status).toBe(200);
});

test('a token ends with the key that made it', async () => {
  const { merchantId, key, affiliateId } = await makePaid();
  const made = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['affiliates:manage'] });
  const token = await tokenOf(made.key, affiliateId);
  expect((await pages.get(at('/embed', token))).status).toBe(200);
  expect((await api.call('DELETE', `/auth/keys/${made.keyId}`, { key })).status).toBe(200);
  await expectEnded(token);
});

test('a token ends when its affiliate is blocked, and when the person is erased', async () => {
  const { key, affiliateId, token } = await makePaid();
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  await expectEnded(token);
  await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
  expect((await pages.get(at('/embed', token))).status).toBe(200);
  const erased = await makePaid();
  await erasePerson(api.runtime.context(system), { email: await emailOf(erased.key, erased.affiliateId) });
  await expectEnded(erased.token);
});

test('a forged, changed or missing token, and one of another purpose, shows nothing in no frame', async () => {
  const { token, affiliateId } = await makePaid();
  const [payload = '', signature = ''] = token.split('.');
  const other = Buffer.from(JSON.stringify([affiliateId, affiliateId, Date.now() + 60_000])).toString('base64url');
  for (const wrong of [`${other}.${signature}`, `${payload}.${'0'.repeat(32)}`, payload, '', 'x', `${token}.x`])
    await expectEnded(wrong, "'none'");
  expect((await pages.get('/embed')).status).toBe(401);
  expect((await pages.get(`/embed?token=${token}&token=${token}`)).status).toBe(401);
});

test('neither the token nor the address is in the log', async () => {
  const lines: string[] = [];
  const collect = createLogger({ level: 'trace', process: 'test' });
  const streamKey = Object.getOwnPropertySymbols(collect).find(({ description }) => description === 'pino.stream');
  if (!streamKey) throw new Error('pino has no stream');
  const { log } = api.runtime;
  const before = { level: log.level, stream: Reflect.get(log, streamKey) };
  Object.assign(log, { level: 'trace', [streamKey]: { write: (line: string) => lines.push(line) } });
  try {
    const { token } = await makePaid();
    for (const path of [...PATHS, '/embed/nothing']) await pages.get(at(path, token));
    await pages.get(at('/embed', `${token}x`));
    const written = lines.join('');
    expect(written).toContain('"route":"/embed/links"');
    expect([written.includes(token), written.includes('token=')]).toEqual([false, false]);
  } finally {
    Object.assign(log, { level: before.level, [streamKey]: before.stream });
  }
});

test('script text in every field that a person can fill comes out as text', async () => {
  const text = SCRIPT_TEXT.slice(0, 100);
  const { key, affiliateId, profileId } = await makePaid({ name: text, website: 'https://acme.example', embedOrigins: [APP] });
  const { key: own } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  expect((await api.call('POST', '/me/links', { key: own, body: { name: text } })).status).toBe(201);
  const token = await tokenOf(key, affiliateId);
  for (const path of PATHS) {
    const { html } = await pages.get(at(path, token));
    expect([pageProblems(html), html.includes('<script>document')]).toEqual([[], false]);
  }
});

/** A page of an app that shows the embedded page in a frame. */
const openApp = async (host: string, token: string) => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page, reports } = await openVisitor({ ...site, more: { permissions } });
  const referrers: (string | undefined)[] = [];
  page.on('request', (request) => referrers.push(request.headers()['referer']));
  await page.goto(`http://${host}:${appPort}/?${new URLSearchParams({ src: `${site.origin}${at('/embed', token)}` })}`);
  return { page, reports, referrers, frame: page.frameLocator('iframe') };
};

test('an app of the program shows the pages in a frame, and no other site does', async () => {
  const { token } = await makePaid({ name: 'Acme Club', embedOrigins: [`http://127.0.0.1:${appPort}`] });
  const own = await openApp('127.0.0.1', token);
  await own.frame.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await own.frame.getByRole('link', { name: 'Links', exact: true }).click();
  await own.frame.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
  await own.frame.locator('summary').first().click();
  await own.frame.getByRole('img', { name: /QR code of the link/ }).waitFor();
  await own.frame.getByRole('button', { name: 'Copy' }).first().click();
  await own.frame.getByText('Copied').waitFor();
  await own.frame.getByRole('link', { name: 'Payouts', exact: true }).click();
  await own.frame.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor();
  expect(own.reports).toEqual([]);
  expect(own.referrers.length).toBeGreaterThan(5);
  expect(own.referrers.filter((referrer) => referrer?.includes('/embed'))).toEqual([]);
  expect(await own.page.context().cookies()).toEqual([]);
  await own.page.context().close();

  const other = await openApp('evil.example', token);
  expect(await other.frame.getByRole('heading').count()).toBe(0);
  expect(other.reports.join()).toContain('frame-ancestors');
  await other.page.context().close();
});

test('embedded pages are accessible, narrow enough and small', async () => {
  const own = await makePaid();
  await join(own, await emailOf(own.key, own.affiliateId), 'Acme Second');
  const found: string[] = [];
  for (const path of [...PATHS.map((each) => at(each, own.token)), '/embed?token=none'])
    found.push(...(await shownProblems({ ...site }, path)));
  expect(found).toEqual([]);
});
