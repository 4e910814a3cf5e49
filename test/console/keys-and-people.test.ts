import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { personSessions } from '../../src/console/sign-in/person-sessions.ts';
import { useOwnApi } from '../support/api.ts';
import { hiddenFields, SCRIPT_TEXT } from '../support/console.ts';
import { makeMerchant, unique } from '../support/factories.ts';
import { heading, press } from '../support/fresh-check.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { cookiesOf, ORIGIN, postAs } from '../support/page-requests.ts';
import { callAs, makeCompany, makePerson, type TestPerson } from '../support/people.ts';

const api = useOwnApi({ PUBLIC_URL: ORIGIN }, { mounts: [consoleOf({ pages: PAGES, sessions: personSessions })] });
const site = useBrowserOn(api);

const visit = (person: TestPerson, javaScriptEnabled = true) =>
  openVisitor({ ...site, cookies: cookiesOf(person), more: { javaScriptEnabled } });

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_how, javaScriptEnabled) => {
  it('an owner creates a key that works, sees it once, and revokes it', async () => {
    const { owner } = await makeCompany(api);
    const { page, reports } = await visit(owner, javaScriptEnabled);
    await page.goto('/console/settings/api-keys');
    await page.getByRole('link', { name: 'Create API key' }).click();
    await heading(page, 'Create API key');
    await page.getByLabel('Name').fill('Shop');
    await press(page, 'Create API key');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Scopes');
    await page.getByLabel('programs:read', { exact: true }).check();
    await press(page, 'Create API key');
    await heading(page, 'API key created');
    const value = (await page.locator('.copyable code').textContent()) ?? '';
    expect((await api.call('GET', '/programs', { key: value })).status).toBe(200);
    expect((await api.call('GET', '/payouts', { key: value })).status).toBe(403);

    await page.getByRole('link', { name: 'Back to API keys' }).click();
    await heading(page, 'API keys');
    const row = page.getByRole('row', { name: /Shop/ });
    expect([await row.textContent(), await page.content()]).toEqual([
      expect.stringMatching(/Active.*Grace Holt/),
      expect.not.stringContaining(value),
    ]);
    await row.getByRole('button', { name: 'Revoke', exact: true }).click();
    await press(page, 'Revoke this key');
    await page.getByText('Shop is revoked').waitFor();
    await page.getByRole('row', { name: /Shop.*Revoked/ }).waitFor();
    expect(reports).toEqual([]);
    await page.context().close();
  });

  it('an owner invites a person, changes their role, and removes them but for a key', async () => {
    const { owner, merchantId } = await makeCompany(api);
    const { page, reports } = await visit(owner, javaScriptEnabled);
    const email = `finance-${unique()}@acme.example`;
    await page.goto('/console/settings/people');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Finance', { exact: true }).check();
    await press(page, 'Send the invite');
    await page.getByText(`${email} gets a link`).waitFor();
    await page.getByRole('row', { name: new RegExp(email) }).waitFor();
    await press(page, 'Revoke');
    await page.getByText('The invite is revoked').waitFor();

    const other = await makePerson(api, { merchantId, email });
    const keyOf = async (name: string) =>
      (await callAs(api, other.actor, 'createApiKey', { body: { name, preset: 'readonly' } })).data.value;
    const [kept, lost] = [await keyOf('Kept'), await keyOf('Lost')];
    await page.goto(`/console/settings/people/${other.personId}`);
    await page.getByLabel('Viewer', { exact: true }).check();
    await press(page, 'Change the role');
    await page.getByText('Viewer from now on').waitFor();
    await page.getByLabel(/^Kept/).check();
    await press(page, 'Remove');
    await page.getByText('Removed and signed out. Keys revoked: 1').waitFor();
    const statusOf = async (key: string) => (await api.call('GET', '/programs', { key })).status;
    expect([await statusOf(kept), await statusOf(lost)]).toEqual([200, 401]);

    await page.getByRole('link', { name: 'Grace Holt' }).click();
    await press(page, 'Remove');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('The last owner stays');
    expect(reports).toEqual([]);
    await page.context().close();
  });
});

test('pages of keys and people are accessible, narrow enough and small', async () => {
  const { owner, merchantId } = await makeCompany(api);
  const other = await makePerson(api, { merchantId });
  await callAs(api, other.actor, 'createApiKey', { body: { name: 'x'.repeat(80), preset: 'merchant:full' } });
  await callAs(api, owner.actor, 'invitePerson', { body: { email: `v-${unique()}@acme.example`, role: 'viewer' } });
  const paths = ['/api-keys', '/api-keys/new', '/people', `/people/${other.personId}`];
  const found: string[] = [];
  for (const path of paths)
    found.push(...(await shownProblems({ ...site, cookies: cookiesOf(owner) }, `/console/settings${path}`)));
  expect(found).toEqual([]);
});

test('keys and people of other merchants cannot be seen, changed or removed', async () => {
  const [mine, foreign] = [await makeCompany(api), await makeCompany(api)];
  const { data: key } = await callAs(api, foreign.owner.actor, 'createApiKey', { body: { name: 'Foreign', preset: 'readonly' } });
  const person = `/console/settings/people/${foreign.owner.personId}`;
  const open = await fetch(`${site.origin}${person}`, { headers: { cookie: `tributary_session_3000=${mine.owner.token}` } });
  const sent = [
    await postAs(site, mine.owner, '/console/settings/api-keys', { sentForm: 'revoke', keyId: key.key.id, descendants: 'true' }),
    await postAs(site, mine.owner, person, { sentForm: 'change', role: 'viewer' }),
    await postAs(site, mine.owner, person, { sentForm: 'remove' }),
  ];
  expect([open.status, ...sent.map(({ status }) => status)]).toEqual([404, 403, 404, 404]);
  expect((await api.call('GET', '/programs', { key: key.value })).status).toBe(200);
});

test('whoever is no owner sees neither keys nor people, and cannot send their forms', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  for (const role of ['finance', 'manager', 'viewer'] as const) {
    const person = await makePerson(api, { merchantId, role });
    const statuses = [];
    for (const path of ['/api-keys', '/api-keys/new', '/people', `/people/${person.personId}`]) {
      const url = `${site.origin}/console/settings${path}`;
      statuses.push((await fetch(url, { headers: { cookie: `tributary_session_3000=${person.token}` } })).status);
    }
    const invite = { sentForm: 'invite', email: 'x@acme.example', role: 'owner' };
    statuses.push((await postAs(site, person, '/console/settings/people', invite)).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
  }
});

test('what people type comes out as text', async () => {
  const { owner } = await makeCompany(api);
  const created = await postAs(site, owner, '/console/settings/api-keys/new', {
    name: SCRIPT_TEXT.slice(0, 100),
    access: 'readonly',
    lastDay: '2030-01-31',
  });
  const html = await created.text();
  const list = await fetch(`${site.origin}/console/settings/api-keys`, {
    headers: { cookie: `tributary_session_3000=${owner.token}` },
  });
  for (const text of [html, await list.text()]) expect(text).not.toContain('<script>document');
  expect([created.status, html.includes('Jan 31, 2030'), hiddenFields(html)]).toEqual([200, true, {}]);
});
