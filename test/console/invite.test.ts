import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { personSessions } from '../../src/console/sign-in/person-sessions.ts';
import { makeInviter } from '../api/invites/support.ts';
import { anyAddress, useOwnApi } from '../support/api.ts';
import { hiddenFields, pageProblems } from '../support/console.ts';
import { unique } from '../support/factories.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { mailedProof } from '../support/people.ts';
import { rowsOf } from '../support/rail-payouts.ts';

const mounts = [consoleOf({ pages: PAGES, sessions: personSessions })];
const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000' }, { mounts });
const site = useBrowserOn(api);

const PROGRAM = { name: 'Acme Partners', website: 'https://acme.example' };

const open = (url: string, remoteAddress = anyAddress()) =>
  api.app.inject({ url, remoteAddress, headers: { host: 'localhost:3000' } });

const post = (url: string, fields: Record<string, string>, cookie?: string) =>
  api.app.inject({
    method: 'POST',
    url,
    remoteAddress: anyAddress(),
    headers: {
      host: 'localhost:3000',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      origin: 'http://localhost:3000',
      ...(cookie === undefined ? {} : { cookie }),
    },
    payload: new URLSearchParams(fields).toString(),
  });

const proofOf = async (location: unknown) => {
  const id = new URL(String(location), 'http://localhost:3000').searchParams.get('id') ?? '';
  const mail = await mailedProof(api, id);
  if (!mail) throw new Error('nothing was mailed');
  return { ...mail, path: mail.link.slice('http://localhost:3000'.length) };
};

test.each([true, false])(
  'on a phone, the invited person joins without an account, and has the first link, with scripts: %s',
  async (javaScriptEnabled) => {
    const { invite, members } = await makeInviter(api, PROGRAM);
    const email = `ada-${unique()}@blog.example`;
    const token = await invite({ email, skipOnboarding: true, trackingCode: `ada-${unique()}` });
    const more = { viewport: { width: 360, height: 700 }, javaScriptEnabled };
    const { page, reports } = await openVisitor({ ...site, more });
    await page.goto(`/i/${token}`);
    await page.getByRole('heading', { level: 1, name: /invites you to Acme Partners$/ }).waitFor();
    expect(await page.getByLabel('Email address').count()).toBe(0);
    expect(await page.content()).not.toContain(email);
    await page.getByLabel('Your name').fill('Ada Byron');
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor();
    const mail = await proofOf(page.url());
    expect([mail.to, mail.path.startsWith(`/i/${token}/link?token=`)]).toEqual([email, true]);
    await page.getByLabel('6-digit code').fill(mail.code);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Accept the terms and join' }).click();
    await page.getByRole('img', { name: /QR code of the link/ }).waitFor();
    expect((await members()).data).toMatchObject([{ email, name: 'Ada Byron' }]);
    expect(reports).toEqual([]);
    await page.context().close();
  },
);

test('an invite for everybody asks for an address; one for a person takes no other', async () => {
  const { invite } = await makeInviter(api, PROGRAM);
  const everybody = `/i/${await invite({ isPublic: true })}`;
  const form = hiddenFields((await open(everybody)).body);
  const email = `eve-${unique()}@blog.example`;
  const without = await post(everybody, { ...form, name: 'Eve' });
  expect([without.statusCode, without.body.includes('href="#main-email"')]).toEqual([422, true]);
  expect((await proofOf((await post(everybody, { ...form, name: 'Eve', email })).headers.location)).to).toBe(email);
  const one = `/i/${await invite({ email: `ada-${unique()}@blog.example` })}`;
  const other = await post(one, { ...hiddenFields((await open(one)).body), name: 'Eve', email });
  expect([other.statusCode, other.body.includes('is not allowed')]).toEqual([422, true]);
});

test('opening the page or the link of the mail changes nothing, and the link works once', async () => {
  const { invite } = await makeInviter(api, PROGRAM);
  const token = await invite({ email: `ada-${unique()}@blog.example` });
  const sent = await post(`/i/${token}`, { ...hiddenFields((await open(`/i/${token}`)).body), name: 'Ada' });
  const { path } = await proofOf(sent.headers.location);
  for (let n = 0; n < 3; n++) expect([(await open(path)).statusCode, (await open(path)).cookies]).toEqual([200, []]);
  const form = hiddenFields((await open(path)).body);
  expect((await post(`/i/${token}/link`, form)).headers.location).toBe(`/portal/invites/${token}`);
  expect((await post(`/i/${token}/link`, form)).headers.location).toBe(`/i/${token}`);
  expect((await api.call('GET', `/invites/${token}`)).data.status).toBe('open');
});

test('IN9: names and addresses of a merchant come out as text that changes nothing around it', async () => {
  const { invite, key } = await makeInviter(api, {
    name: '<script>alert(1)</script> \u202Egpj.exe',
    termsUrl: 'https://acme.example/\u202Eterms?a="b"',
    website: 'https://аcme.example/',
  });
  await api.call('PATCH', '/merchant', { key, body: { companyName: 'Acme\u2066 \u200BLtd' } });
  const { statusCode, headers, body } = await open(`/i/${await invite()}`);
  expect([statusCode, pageProblems(body)]).toEqual([200, []]);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'same-origin' });
  expect(body).not.toMatch(/\p{Cf}|"b"/u);
  expect(body).toContain('<bdi>Acme Ltd</bdi> invites you to <bdi>&lt;script&gt;alert(1)&lt;/script&gt; gpj.exe</bdi></h1>');
  expect(body).toContain('<bdi>https://acme.example/%E2%80%AEterms?a=%22b%22</bdi>');
  expect(body).toContain('<bdi>https://xn--cme-5cd.example/</bdi>');
});

test('IN9: an invite that is over says so and mails nobody, and an unknown one is not found', async () => {
  const { create, key } = await makeInviter(api, PROGRAM);
  const { id, token } = (await create({ isPublic: true })).data;
  const form = hiddenFields((await open(`/i/${token}`)).body);
  await api.call('DELETE', `/invites/${id}`, { key });
  const { statusCode, body } = await open(`/i/${token}`);
  expect([statusCode, body.includes('has expired'), body.includes('<form method="post" action="/i/')]).toEqual([
    200,
    true,
    false,
  ]);
  const email = `ada-${unique()}@blog.example`;
  expect((await post(`/i/${token}`, { ...form, name: 'Ada', email })).statusCode).toBe(409);
  expect(await rowsOf(api, 'select id from sign_in where email = ?', [email])).toEqual([]);
  for (const [unknown, status] of [
    ['inv_unknown', 404],
    ['a%2Fb', 400],
    ['x'.repeat(101), 400],
  ] as const)
    expect([unknown, (await open(`/i/${unknown}`)).statusCode]).toEqual([unknown, status]);
});

test('IN9: the page has 60 requests a minute, and the JSON of an invite 10 of its own', async () => {
  const { invite } = await makeInviter(api, PROGRAM);
  const token = await invite();
  const address = anyAddress();
  const pages = [];
  for (let n = 0; n < 61; n++) pages.push((await open(`/i/${token}`, address)).statusCode);
  expect(pages).toEqual([...Array(60).fill(200), 429]);
  const json = [];
  for (let n = 0; n < 11; n++) json.push((await open(`/api/v1/invites/${token}`, address)).statusCode);
  expect(json).toEqual([...Array(10).fill(200), 429]);
});

test('whoever is signed in accepts the terms that they were shown, reads changed ones again, and comes back as a member', async () => {
  const { invite, key, programId } = await makeInviter(api, { ...PROGRAM, termsUrl: 'https://acme.example/terms' });
  const token = await invite({ isPublic: true, skipOnboarding: true });
  const email = `ada-${unique()}@blog.example`;
  const asked = await post(`/i/${token}`, { ...hiddenFields((await open(`/i/${token}`)).body), name: 'Ada', email });
  const { path } = await proofOf(asked.headers.location);
  const { cookies } = await post(`/i/${token}/link`, hiddenFields((await open(path)).body));
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const at = `/portal/invites/${token}`;
  const shown = async () => {
    const { body } = await api.app.inject({ url: at, headers: { host: 'localhost:3000', cookie } });
    expect([pageProblems(body), body.includes('https://acme.example/terms')]).toEqual([[], true]);
    return hiddenFields(body);
  };
  const first = await shown();
  await api.call('PATCH', `/programs/${programId}`, { key, body: { commissionPercent: 5 } });
  expect((await post(at, first, cookie)).headers.location).toBe(at);
  const now = await shown();
  expect(now['termsVersion']).not.toBe(first['termsVersion']);
  for (let n = 0; n < 2; n++) expect((await post(at, now, cookie)).headers.location).toBe(`/portal/joined/${programId}`);
  const { data } = await api.call('GET', '/applications', { key });
  expect(data).toMatchObject([{ email, acceptedTerms: { version: now['termsVersion'], commissionPercent: 5 } }]);
});

test('the page is accessible, narrow enough and small', async () => {
  const { invite } = await makeInviter(api, PROGRAM);
  expect(await shownProblems({ ...site }, `/i/${await invite()}`)).toEqual([]);
});
