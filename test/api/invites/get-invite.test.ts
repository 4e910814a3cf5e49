import { generateApiKey } from '../../../src/domains/auth/api-key-format.ts';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { claim, makeInviter, makePerson } from './support.ts';

const api = useTestApi();
const get = (token: string, key?: string) => api.call('GET', `/invites/${token}`, key === undefined ? {} : { key });

test('the operation needs no key, and shows the program but not for whom the invite is', async () => {
  const { programId, invite } = await makeInviter(api, { name: 'Acme Partners', description: 'Plan projects' });
  const secrets = [`ada-${unique()}@blog.example`, `label-${unique()}`, `code-${unique()}`];
  const [email, name, trackingCode] = secrets;
  const token = await invite({ email, name, trackingCode });
  const found = await get(token);
  expect(found).toMatchObject({ status: 200 });
  expect(found.data).toEqual({
    token,
    programId,
    programName: 'Acme Partners',
    companyName: expect.any(String),
    programDescription: 'Plan projects',
    website: null,
    termsUrl: null,
    commissionType: 'recurring',
    commissionPercent: 20,
    commissionLimitMonths: null,
    currency: 'usd',
    email: '',
    isForOnePerson: true,
    status: 'open',
    expiresAt: expect.any(String),
    createdAt: expect.any(String),
  });
  for (const key of [undefined, (await makePerson(api, email)).key]) {
    const { text } = await get(token, key);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  }
});

test('an invite says whether it can be claimed', async () => {
  const { key, programId, invite } = await makeInviter(api);
  const [used, expired, open] = [await invite(), await invite(), await invite({ isPublic: true })];
  await claim(api, await makePerson(api), used);
  await rowsOf(api, `update invite set expires_at = now() where token = ?`, [expired]);
  const statusOf = async (token: string) => (await get(token)).data.status;
  expect([await statusOf(used), await statusOf(expired), await statusOf(open)]).toEqual(['used_up', 'expired', 'open']);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'archived' } });
  expect(await statusOf(open)).toBe('program_inactive');
});

test.each(['inv_0', `inv_${'0'.repeat(40)}`, 'INV', '-'])('404 for the unknown token %s', async (token) => {
  expect(await get(token)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND', message: 'Invite not found' } });
});

test.each(['%00', 'a%20b', 'x'.repeat(101), "'"])('400 for %s, which is no token', async (token) => {
  expect(await get(token)).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', details: { issues: [expect.objectContaining({ path: 'token' })] } },
  });
});

test('a token in another case is another token', async () => {
  const { invite } = await makeInviter(api);
  expect((await get((await invite()).toUpperCase())).status).toBe(404);
});

test('IN9: failed sign-ins do not keep the same address from opening an invite, which has ten a minute of its own', async () => {
  const { invite } = await makeInviter(api);
  const token = await invite();
  const from = '10.77.8.9';
  const guess = () => api.call('GET', '/me', { from });
  const open = () => api.call('GET', `/invites/${token}`, { from });
  for (let guessed = 0; guessed < 10; guessed++) expect((await guess()).status).toBe(401);
  expect((await guess()).status).toBe(429);
  for (let opened = 0; opened < 10; opened++) expect((await open()).status).toBe(200);
  expect((await open()).status).toBe(429);
});

test('IN9: keys that are guessed at an invite count as guesses elsewhere, and keep nobody from opening it', async () => {
  const { invite } = await makeInviter(api);
  const token = await invite();
  const from = '10.77.8.10';
  const open = (key?: string) => api.call('GET', `/invites/${token}`, { from, key });
  for (let guessed = 0; guessed < 5; guessed++) {
    expect((await api.call('GET', '/me', { from, key: generateApiKey('merchant') })).status).toBe(401);
    expect((await open(generateApiKey('merchant'))).status).toBe(200);
  }
  expect((await open(generateApiKey('merchant'))).status).toBe(429);
  expect((await api.call('GET', '/me', { from, key: 'ak_live_mistyped' })).status).toBe(429);
  expect((await open()).status).toBe(200);
});

const openPage = (token: string, remoteAddress = anyAddress()) =>
  api.app.inject({ method: 'GET', url: `/i/${token}`, remoteAddress });

test('IN9: the page of an invite names program and company and how to claim it, runs nothing and leads to no script', async () => {
  const { invite } = await makeInviter(api, {
    name: '<script>alert(1)</script> & Co',
    termsUrl: 'https://acme.example/terms?a="b"',
  });
  const token = await invite();
  const { statusCode, headers, body } = await openPage(token);
  expect(statusCode).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  });
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'/,
  );
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; Co');
  expect(body).toContain(`POST /api/v1/invites/${token}/claim`);
  expect(body).not.toMatch(/<script|"b"/);
  for (const unknown of ['inv_unknown', '%00', 'a%2Fb', 'x'.repeat(101)]) {
    const page = await openPage(unknown);
    expect([unknown, page.statusCode, page.headers['content-type']]).toEqual([unknown, 404, 'text/html; charset=utf-8']);
  }
});

test('direction characters of names change nothing on the page of an invite, and URLs are shown as they are requested', async () => {
  const { invite, key } = await makeInviter(api, {
    name: 'Partners \u202Egpj.exe',
    termsUrl: 'https://acme.example/\u202Eterms',
    website: 'https://аcme.example/',
  });
  await api.call('PATCH', '/merchant', { key, body: { companyName: 'Acme\u2066 \u200BLtd' } });
  const { body } = await openPage(await invite());
  expect(body).not.toMatch(/\p{Cf}/u);
  expect(body).toContain('<title>Acme Ltd invites you to Partners gpj.exe</title>');
  expect(body).toContain('<h1><bdi>Acme Ltd</bdi> invites you to <bdi>Partners gpj.exe</bdi></h1>');
  expect(body).toContain('<dd><bdi>Partners gpj.exe</bdi></dd>');
  expect(body).toContain('<bdi>https://acme.example/%E2%80%AEterms</bdi>');
  expect(body).toContain('<bdi>https://xn--cme-5cd.example/</bdi>');
});

test('IN9: the page of an invite that is over says so, and not how to claim it', async () => {
  const { create, key } = await makeInviter(api);
  const { id, token } = (await create()).data;
  await api.call('DELETE', `/invites/${id}`, { key });
  const { statusCode, body } = await openPage(token);
  expect([statusCode, body.includes('has expired'), body.includes('/claim')]).toEqual([200, true, false]);
});

test('IN9: the page has 60 requests a minute of its own, and the JSON of an invite 10', async () => {
  const { invite } = await makeInviter(api);
  const token = await invite();
  const address = anyAddress();
  const pages = [];
  for (let n = 0; n < 61; n++) pages.push((await openPage(token, address)).statusCode);
  expect(pages).toEqual([...Array(60).fill(200), 429]);
  const json = [];
  for (let n = 0; n < 11; n++)
    json.push((await api.app.inject({ method: 'GET', url: `/api/v1/invites/${token}`, remoteAddress: address })).statusCode);
  expect(json).toEqual([...Array(10).fill(200), 429]);
});
