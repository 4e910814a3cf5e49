import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { personSessions } from '../../src/console/sign-in/person-sessions.ts';
import { useOwnApi } from '../support/api.ts';
import { hiddenFields, pageProblems, SCRIPT_TEXT, useConsole } from '../support/console.ts';
import { unique } from '../support/factories.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { newestMail, ORIGIN, pageRequest } from '../support/page-requests.ts';
import { makeCompany } from '../support/people.ts';

const mounts = [consoleOf({ pages: PAGES, sessions: personSessions })];
const api = useOwnApi({ PUBLIC_URL: ORIGIN, SIGNUP: 'open' }, { mounts });
const closed = useConsole(PAGES);
const site = useBrowserOn(api);

const newAddress = (): string => `grace-${unique()}@acme.example`;

const request = pageRequest(api);

const ask = async (email: string, more: Record<string, string> = {}) =>
  request('/sign-up', { ...hiddenFields((await request('/sign-up')).body), companyName: 'Acme', name: 'Grace', email, ...more });

test.each([
  ['by the link, with scripts', true, 'link'],
  ['by the code, without scripts', false, 'code'],
] as const)('on a phone, somebody new opens an account %s, and sees what to do first', async (_how, javaScriptEnabled, by) => {
  const email = newAddress();
  const more = { viewport: { width: 360, height: 700 }, javaScriptEnabled };
  const { page, reports } = await openVisitor({ ...site, more });
  await page.goto('/sign-in');
  await page.getByRole('link', { name: 'Open an account for a company' }).click();
  await page.getByRole('heading', { level: 1, name: 'Open an account' }).waitFor();
  await page.getByLabel('Company').fill('Acme GmbH');
  await page.getByLabel('Your name').fill('Grace Holt');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor();
  const mail = await newestMail(api, email);
  if (by === 'link') {
    await page.goto(mail.path);
    await page.getByText(`This signs you in as ${email}.`).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
  } else {
    await page.getByLabel('6-digit code').fill(mail.code);
    await page.getByRole('button', { name: 'Confirm' }).click();
  }
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.getByRole('link', { name: 'Acme GmbH' }).waitFor();
  await page.getByRole('heading', { name: /^First steps/ }).waitFor();
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(false);

  await page.getByRole('link', { name: 'Acme GmbH' }).click();
  await page.getByRole('link', { name: 'Another company' }).click();
  await page.getByRole('heading', { level: 1, name: 'Another company' }).waitFor();
  await page.getByLabel('Company').fill('Second GmbH');
  await page.getByRole('button', { name: 'Open the account' }).click();
  await page.getByText('You act for Second GmbH now.').waitFor();
  expect(reports).toEqual([]);
  await page.context().close();
});

test('the pages are accessible, narrow enough and small', async () => {
  const { owner } = await makeCompany(api);
  const cookies = { tributary_session_3000: owner.token };
  const found: string[] = [];
  for (const path of ['/sign-up', '/sign-up/code', '/sign-up/link?token=x']) found.push(...(await shownProblems(site, path)));
  for (const path of ['/console/companies', '/console/companies/new', '/sign-up'])
    found.push(...(await shownProblems({ ...site, cookies }, path)));
  expect(found).toEqual([]);
});

test('a scanner that opens the link takes nothing from whoever presses the button, who can do it once', async () => {
  const email = newAddress();
  await ask(email);
  const { path } = await newestMail(api, email);
  for (let n = 0; n < 3; n++) {
    const opened = await request(path);
    expect([opened.statusCode, opened.cookies, pageProblems(opened.body)]).toEqual([200, [], []]);
  }
  const form = hiddenFields((await request(path)).body);
  const signedUp = await request('/sign-up/link', form);
  expect([signedUp.statusCode, signedUp.headers.location, signedUp.cookies.length]).toEqual([303, '/console', 1]);
  const again = await request('/sign-up/link', form);
  expect([again.headers.location, again.cookies.some(({ name }) => name.includes('session'))]).toEqual(['/sign-up', false]);
});

test('the pages say the same of an address that nobody has', async () => {
  const { owner } = await makeCompany(api);
  const shownTo = async (email: string) => {
    const { statusCode, headers } = await ask(email);
    const { body } = await request(String(headers.location));
    return [statusCode, String(headers.location).replace(/id=.*/, ''), body.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')];
  };
  expect(await shownTo(newAddress())).toEqual(await shownTo(owner.email));
});

test('a form of another site asks for no mail, and opens no account', async () => {
  const [email, other] = [newAddress(), newAddress()];
  await ask(email);
  const form = hiddenFields((await request((await newestMail(api, email)).path)).body);
  const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  const forms: [string, Record<string, string>][] = [
    ['/sign-up', { companyName: 'Acme', name: 'Grace', email: other }],
    ['/sign-up/link', form],
    ['/console/companies/new', { companyName: 'Acme' }],
  ];
  for (const [url, fields] of forms) expect([url, (await request(url, fields, evil)).statusCode]).toEqual([url, 403]);
  await expect(newestMail(api, other)).rejects.toThrow('nothing was mailed');
  expect((await request('/sign-up/link', form)).headers.location).toBe('/console');
});

test('script text in every field comes out as text, and more companies than allowed are refused in words', async () => {
  const again = await ask(SCRIPT_TEXT, { companyName: SCRIPT_TEXT, name: SCRIPT_TEXT });
  expect([again.statusCode, pageProblems(again.body)]).toEqual([422, []]);
  const email = newAddress();
  const open = async (companyName: string) => {
    await ask(email, { companyName });
    return request('/sign-up/link', hiddenFields((await request((await newestMail(api, email)).path)).body));
  };
  const { cookies } = await open(SCRIPT_TEXT.slice(0, 100));
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const home = await request('/console', null, { cookie });
  expect([home.statusCode, pageProblems(home.body), home.body.includes('&lt;script&gt;')]).toEqual([200, [], true]);
  for (const name of ['Two', 'Three']) expect((await open(name)).headers.location).toBe('/console');
  const fourth = await open('Four');
  const shown = await request('/sign-up', null, {
    cookie: fourth.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; '),
  });
  expect([fourth.headers.location, shown.body.includes('At most 3 companies')]).toEqual(['/sign-up', true]);
});

test('while sign-up is closed its pages are not found, and nothing leads to them', async () => {
  const { owner } = await makeCompany(closed.api);
  const session = closed.sessions.open({
    merchant: { actor: owner.actor, ownerId: owner.actor.ownerId, name: 'Acme', perMinute: 1_000 },
  });
  for (const path of ['/sign-up', '/sign-up/code', '/sign-up/link']) expect((await closed.get(path)).status).toBe(404);
  expect((await closed.post('/sign-up', { companyName: 'A', name: 'B', email: newAddress() })).status).toBe(404);
  expect((await closed.get('/console/companies/new', { session })).status).toBe(404);
  const [signIn, companies] = [await closed.get('/sign-in'), await closed.get('/console/companies', { session })];
  expect([signIn.status, signIn.html.includes('/sign-up'), companies.status, companies.html.includes('companies/new')]).toEqual([
    200,
    false,
    200,
    false,
  ]);
});
