import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { personSessions } from '../../src/console/sign-in/person-sessions.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { mailsAbout } from '../domains/notifications/support.ts';
import { anyAddress, useOwnApi } from '../support/api.ts';
import { hiddenFields, pageProblems } from '../support/console.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { registerPasskey, signInWith } from '../support/passkeys.ts';
import { callAs, makeCompany, makePerson, type TestPerson } from '../support/people.ts';

const mounts = [consoleOf({ pages: PAGES, sessions: personSessions })];
const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000' }, { mounts });
const site = useBrowserOn(api);

const cookiesOf = ({ token }: Pick<TestPerson, 'token'>) => ({ tributary_session_3000: token });
type Page = Awaited<ReturnType<typeof openVisitor>>['page'];
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

/** An owner, and a person of the same company with a passkey. */
const makeLoser = async () => {
  const company = await makeCompany(api);
  const person = await makePerson(api, { merchantId: company.merchantId, role: 'finance' });
  const { device } = await registerPasskey(api, person);
  return { ...company, person, device, at: `/console/settings/people/${person.personId}` };
};

/** The link of the newest mail about a replacement, without the origin. */
const mailedLink = async ({ personId }: Pick<TestPerson, 'personId'>): Promise<string> => {
  const found = await firstRow(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<{ id: string }>`select id from passkey_replacement where person_id = ${personId}::uuid order by created_at desc limit 1`,
  );
  const [mail] = await mailsAbout(api.runtime, found?.id ?? '');
  return /\/sign-in\/keep-passkeys\?token=[\w-]+/.exec(mail?.text ?? '')?.[0] ?? '';
};

test.each([
  ['with scripts', true],
  ['without scripts', false],
])(
  'an owner says that a person lost their passkey, who keeps it by the link of the mail or in their settings, %s',
  async (_how, javaScriptEnabled) => {
    const { owner, person, at } = await makeLoser();
    const more = { javaScriptEnabled, viewport: { width: 360, height: 700 } };
    const { page, reports } = await openVisitor({ ...site, cookies: cookiesOf(owner), more });
    const own = await openVisitor({ ...site, cookies: cookiesOf(person), more });
    await page.goto(at);
    await press(page, 'Replace their passkeys');
    await page.getByText('The person is notified by email').waitFor();
    await page.getByText('unless they keep them').waitFor();

    await own.page.goto('/console');
    await own.page.getByText('Someone reported that you lost your passkey').waitFor();
    await own.page.getByRole('main').getByRole('link', { name: 'Passkeys', exact: true }).click();
    await press(own.page, 'I still have it');
    await own.page.getByText('Your passkeys stay.').waitFor();
    expect(await own.page.getByRole('button', { name: 'I still have it' }).count()).toBe(0);

    await page.goto(at);
    await press(page, 'Replace their passkeys');
    await page.getByText('unless they keep them').waitFor();
    const stranger = await openVisitor({ ...site, more });
    await stranger.page.goto(await mailedLink(person));
    await press(stranger.page, 'I still have it');
    await stranger.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await stranger.page.getByText('Your passkeys stay.').waitFor();

    await page.goto(at);
    await press(page, 'Replace their passkeys');
    await page.getByText('unless they keep them').waitFor();
    await press(page, 'Keep their passkeys');
    await page.getByText('The passkeys stay').waitFor();
    expect([...reports, ...own.reports, ...stranger.reports]).toEqual([]);
    for (const { page: each } of [{ page }, own, stranger]) await each.context().close();
  },
);

test('opening the link of the mail changes nothing, and its button works once', async () => {
  const { owner, person, device } = await makeLoser();
  await callAs(api, owner.actor, 'startPasskeyReplacement', { params: { id: person.personId } });
  const link = await mailedLink(person);
  const send = (url: string, fields: Record<string, string> | null = null, from = 'same-origin') =>
    api.app.inject({
      url,
      remoteAddress: anyAddress(),
      headers: { host: 'localhost:3000', 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': from },
      ...(fields && { method: 'POST' as const, payload: new URLSearchParams(fields).toString() }),
    });
  for (let n = 0; n < 3; n++) expect(pageProblems((await send(link)).body)).toEqual([]);
  const form = hiddenFields((await send(link)).body);
  expect((await send('/sign-in/keep-passkeys', form, 'cross-site')).statusCode).toBe(403);
  const dueAt = async () =>
    (await callAs(api, owner.actor, 'getPasskeyReplacement', { params: { id: person.personId } })).data.dueAt;
  expect(await dueAt()).not.toBeNull();
  expect((await send('/sign-in/keep-passkeys', form)).headers.location).toBe('/sign-in');
  expect(await dueAt()).toBeNull();
  const again = await send('/sign-in/keep-passkeys', form);
  const cookie = again.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ');
  const shown = await api.app.inject({
    url: '/sign-in',
    remoteAddress: anyAddress(),
    headers: { host: 'localhost:3000', cookie },
  });
  expect(shown.body).toContain('This link is no longer valid. The passkeys were already kept');
  expect((await signInWith(api, device)).status).toBe(201);
});

test('an owner cannot say it of themselves, and the pages are accessible, narrow enough and small', async () => {
  const { owner, person, at } = await makeLoser();
  const shown = await api.app.inject({
    url: `/console/settings/people/${owner.personId}`,
    headers: { host: 'localhost:3000', cookie: `tributary_session_3000=${owner.token}` },
  });
  expect([shown.statusCode, shown.body.includes('Lost passkey')]).toEqual([200, false]);
  await callAs(api, owner.actor, 'startPasskeyReplacement', { params: { id: person.personId } });
  const found = [
    ...(await shownProblems({ ...site, cookies: cookiesOf(owner) }, at)),
    ...(await shownProblems({ ...site, cookies: cookiesOf(person) }, '/console/settings/passkeys')),
    ...(await shownProblems({ ...site, cookies: cookiesOf(person) }, '/console')),
    ...(await shownProblems({ ...site }, '/sign-in/keep-passkeys?token=x')),
  ];
  expect(found).toEqual([]);
});
