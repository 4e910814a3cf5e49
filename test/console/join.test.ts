import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { personSessions } from '../../src/console/sign-in/person-sessions.ts';
import { anyAddress, useOwnApi } from '../support/api.ts';
import { hiddenFields, pageProblems, SCRIPT_TEXT } from '../support/console.ts';
import { makeMerchant, makeProgram, unique } from '../support/factories.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { newestMail, ORIGIN, pageRequest } from '../support/page-requests.ts';

const mounts = [consoleOf({ pages: PAGES, sessions: personSessions })];
const api = useOwnApi({ PUBLIC_URL: ORIGIN }, { mounts });
const site = useBrowserOn(api);

const makePublished = async (more: Record<string, unknown> = {}) => {
  const { key } = await makeMerchant(api.runtime);
  const portalSlug = `acme-${unique()}`;
  const settings = { name: 'Acme Partners', website: 'https://acme.example', termsUrl: 'https://acme.example/terms' };
  const { programId } = await makeProgram(api, key, { ...settings, portalSlug, autoApproveAffiliates: true, ...more });
  return { key, portalSlug, programId, at: `/join/${portalSlug}` };
};

const newAddress = (): string => `ada-${unique()}@blog.example`;

const request = pageRequest(api);

const signInIdIn = (location: unknown): string => new URL(String(location), ORIGIN).searchParams.get('id') ?? '';

/** Asks for the mail of an address, as a browser without scripts. */
const ask = async (at: string, fields: { email: string; name: string }) => {
  const { body } = await request(at);
  return request(at, { ...hiddenFields(body), ...fields });
};

test.each([
  ['by the link, with scripts', true, 'link'],
  ['by the code, without scripts', false, 'code'],
] as const)('on a phone, somebody new joins %s, and has the first link', async (_how, javaScriptEnabled, by) => {
  const applicationFields = [{ label: 'Where do you publish?', isRequired: true }];
  const { at, key } = await makePublished({ applicationFields });
  const email = newAddress();
  const more = { viewport: { width: 360, height: 700 }, javaScriptEnabled };
  const { page, reports } = await openVisitor({ ...site, more });
  await page.goto(at);
  await page.getByRole('heading', { level: 1, name: 'Join Acme Partners' }).waitFor();
  await page.getByText('20% of every payment of each customer').waitFor();
  await page.getByLabel('Your name').fill('Ada Byron');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor();
  const mail = await newestMail(api, email);
  if (by === 'link') {
    await page.goto(mail.path);
    await page.getByRole('button', { name: 'Continue' }).click();
  } else {
    await page.getByLabel('6-digit code').fill(mail.code);
    await page.getByRole('button', { name: 'Confirm' }).click();
  }
  await page.getByText('You become an affiliate immediately').waitFor();
  await page.getByLabel('About you').fill('I write about gardens.');
  const accept = page.getByRole('button', { name: 'Accept the terms and join' });
  await accept.click();
  await page.getByRole('alert').getByText('must not be empty').waitFor();
  await page.getByLabel('Where do you publish?').fill('On my blog');
  await accept.click();
  await page.getByRole('heading', { level: 1, name: 'Welcome to Acme Partners' }).waitFor();
  await page.getByRole('img', { name: /QR code of the link/ }).waitFor();
  expect(await page.getByText(/^https?:\/\/acme\.example\/\?/).textContent()).toMatch(/via=|ref=/);
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(false);
  const { data } = await api.call('GET', '/applications', { key });
  expect(data).toMatchObject([{ email, answers: [{ label: 'Where do you publish?', answer: 'On my blog' }] }]);
  expect(reports).toEqual([]);
  await page.context().close();
});

test('where the merchant decides, the next page says so; the pages are in German for whoever reads it', async () => {
  const { at, key } = await makePublished({ autoApproveAffiliates: false });
  const email = newAddress();
  const { page } = await openVisitor({ ...site, more: { viewport: { width: 360, height: 700 }, locale: 'de-DE' } });
  await page.goto(at);
  await page.getByRole('heading', { level: 1, name: 'Bei Acme Partners mitmachen' }).waitFor();
  await page.getByLabel('Ihr Name').fill('Ada Byron');
  await page.getByLabel('E-Mail-Adresse').fill(email);
  await page.getByRole('button', { name: 'Link senden' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sehen Sie in Ihr Postfach' }).waitFor();
  await page.getByLabel('Sechs Ziffern').fill((await newestMail(api, email)).code);
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  await page.getByRole('button', { name: 'Bedingungen annehmen und bewerben' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ihre Bewerbung ist abgeschickt' }).waitFor();
  const { data } = await api.call('GET', '/applications', { key });
  expect(data).toMatchObject([{ status: 'pending', email, source: 'browser' }]);
  await page.goto(`/portal${at}`);
  await page.getByRole('button', { name: 'Bedingungen annehmen und bewerben' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ihre Bewerbung ist abgeschickt' }).waitFor();
  await page.context().close();
});

test('the pages are accessible, narrow enough and small', async () => {
  const { at } = await makePublished({ name: 'A program with a name that is so long that it fits on no phone' });
  const found: string[] = [];
  for (const path of [at, `${at}/code`, `${at}/link?token=x`]) found.push(...(await shownProblems({ ...site }, path)));
  expect(found).toEqual([]);
});

test('a scanner that opens the link takes nothing from whoever presses the button', async () => {
  const { at } = await makePublished();
  const email = newAddress();
  await ask(at, { email, name: 'Ada' });
  const { path } = await newestMail(api, email);
  for (let n = 0; n < 3; n++) {
    const opened = await request(path);
    expect([opened.statusCode, opened.cookies, pageProblems(opened.body)]).toEqual([200, [], []]);
    expect((await api.app.inject({ method: 'HEAD', url: path, remoteAddress: anyAddress() })).cookies).toEqual([]);
  }
  const form = hiddenFields((await request(path)).body);
  const signedUp = await request(`${at}/link`, form);
  expect([signedUp.statusCode, signedUp.headers.location, signedUp.cookies.length]).toEqual([303, `/portal${at}`, 1]);
  const again = await request(`${at}/link`, form);
  expect([again.headers.location, again.cookies.some(({ name }) => name.includes('session'))]).toEqual([at, false]);
});

test('the pages say the same of an address that nobody has', async () => {
  const { at } = await makePublished();
  const known = newAddress();
  await ask(at, { email: known, name: 'Ada' });
  await request(`${at}/link`, hiddenFields((await request((await newestMail(api, known)).path)).body));
  const shownTo = async (email: string) => {
    const { statusCode, headers } = await ask(at, { email, name: 'Ada' });
    const { body } = await request(String(headers.location));
    return [statusCode, String(headers.location).replace(/id=.*/, ''), body.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')];
  };
  expect(await shownTo(newAddress())).toEqual(await shownTo(known));
});

test('a form of another site asks for no mail, and proves no address', async () => {
  const { at } = await makePublished();
  const [email, other] = [newAddress(), newAddress()];
  await ask(at, { email, name: 'Ada' });
  const { path, code } = await newestMail(api, email);
  const form = hiddenFields((await request(path)).body);
  const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  const forms: [string, Record<string, string>][] = [
    [at, { email: other, name: 'Ada' }],
    [`${at}/link`, form],
    [`${at}/code`, { signInId: signInIdIn((await ask(at, { email, name: 'Ada' })).headers.location), code }],
    [`/portal${at}`, { termsVersion: 'x' }],
  ];
  for (const [url, fields] of forms) {
    const { statusCode, cookies } = await request(url, fields, evil);
    expect([url, statusCode, cookies]).toEqual([url, 403, []]);
  }
  await expect(newestMail(api, other)).rejects.toThrow('nothing was mailed');
  expect((await request(`${at}/link`, form)).headers.location).toBe(`/portal${at}`);
});

test('script text in every field and name comes out as text', async () => {
  const applicationFields = [{ label: SCRIPT_TEXT.slice(0, 100), isRequired: true }];
  const { at } = await makePublished({ name: SCRIPT_TEXT.slice(0, 100), description: SCRIPT_TEXT, applicationFields });
  const page = await request(at);
  expect([page.statusCode, pageProblems(page.body), page.body.includes('&lt;script&gt;')]).toEqual([200, [], true]);
  const again = await ask(at, { email: SCRIPT_TEXT, name: SCRIPT_TEXT });
  expect([again.statusCode, pageProblems(again.body)]).toEqual([422, []]);
  const email = newAddress();
  await ask(at, { email, name: SCRIPT_TEXT.slice(0, 100) });
  const { path } = await newestMail(api, email);
  const { cookies } = await request(`${at}/link`, hiddenFields((await request(path)).body));
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const terms = await request(`/portal${at}`, null, { cookie });
  expect([terms.statusCode, pageProblems(terms.body)]).toEqual([200, []]);
  const joined = await request(
    `/portal${at}`,
    { ...hiddenFields(terms.body), message: SCRIPT_TEXT, answer1: SCRIPT_TEXT },
    { cookie },
  );
  const welcome = await request(String(joined.headers.location), null, { cookie });
  expect([welcome.statusCode, pageProblems(welcome.body), welcome.body.includes('class="qr"')]).toEqual([200, [], true]);
});

test('terms that changed meanwhile are read again, and a second sending changes nothing', async () => {
  const { at, key, programId } = await makePublished();
  const email = newAddress();
  await ask(at, { email, name: 'Ada' });
  const { cookies } = await request(`${at}/link`, hiddenFields((await request((await newestMail(api, email)).path)).body));
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const shown = hiddenFields((await request(`/portal${at}`, null, { cookie })).body);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { commissionPercent: 5 } });
  expect((await request(`/portal${at}`, shown, { cookie })).headers.location).toBe(`/portal${at}`);
  const now = hiddenFields((await request(`/portal${at}`, null, { cookie })).body);
  for (let n = 0; n < 2; n++)
    expect((await request(`/portal${at}`, now, { cookie })).headers.location).toBe(`/portal/joined/${programId}`);
  expect((await api.call('GET', `/programs/${programId}/affiliates`, { key })).data).toHaveLength(1);
});

test('a program that takes nobody shows no form, and an unknown one is not found', async () => {
  const { at, key, programId } = await makePublished({ applicationAccess: 'invite_only' });
  const { body } = await request(at);
  expect([body.includes('You need an invite'), body.includes('<form method="post" action="/join')]).toEqual([true, false]);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'archived' } });
  expect((await request(at)).statusCode).toBe(404);
  expect((await request(`/join/none-${unique()}`)).statusCode).toBe(404);
});
