import type { Page } from 'playwright-core';
import { mountConsole } from '../../src/console/index.ts';
import { useOwnApi } from '../support/api.ts';
import { SCRIPT_TEXT } from '../support/console.ts';
import { makeMerchant, makeProgram } from '../support/factories.ts';
import { confirmByCode, heading, press } from '../support/fresh-check.ts';
import { openVisitor, problemsAfter, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { cookiesOf, ORIGIN, postAs } from '../support/page-requests.ts';
import { callAs, makeAffiliatePerson, makeCompany } from '../support/people.ts';

const api = useOwnApi({ PUBLIC_URL: ORIGIN }, { mounts: [mountConsole] });
const site = useBrowserOn(api);

const visit = (person: { token: string }, javaScriptEnabled: boolean) =>
  openVisitor({ ...site, cookies: cookiesOf(person), more: { javaScriptEnabled } });
/** By the navigation, which a phone hides behind a button. */
const goTo = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('link', { name, exact: true }).click();
  await heading(page, name);
};

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_how, javaScriptEnabled) => {
  it('an affiliate creates a key that works, sees it once, and revokes it, after a fresh check', async () => {
    const person = await makeAffiliatePerson(api, { isFresh: false });
    const { page, reports } = await visit(person, javaScriptEnabled);
    await page.goto('/portal');
    await goTo(page, 'API keys');
    await page.getByRole('link', { name: 'Create API key' }).click();
    await heading(page, 'Create API key');
    await page.getByLabel('Name').fill('Blog');
    await page.getByLabel('links:read', { exact: true }).check();
    await press(page, 'Create API key');
    await confirmByCode(api, page, person);
    await heading(page, 'API key created');
    const value = (await page.locator('.copyable code').textContent()) ?? '';
    expect(value).toMatch(/^ak_aff_/);
    expect((await api.call('GET', '/me/links', { key: value, query: { program_id: person.programId } })).status).toBe(200);
    expect((await api.call('GET', '/me/payouts', { key: value })).status).toBe(403);

    await page.getByRole('link', { name: 'Back to API keys' }).click();
    await heading(page, 'API keys');
    const row = page.getByRole('row', { name: /Blog/ });
    expect([await row.textContent(), await page.content()]).toEqual([
      expect.stringMatching(/Active.*1 of 12.*Ada Test/s),
      expect.not.stringContaining(value),
    ]);
    await row.getByRole('button', { name: 'Revoke', exact: true }).click();
    await press(page, 'Revoke this key');
    await page.getByText('Blog is revoked').waitFor();
    await page.getByRole('row', { name: /Blog.*Revoked/s }).waitFor();
    expect(reports).toEqual([]);
    await page.context().close();
  });

  it('an affiliate chooses which emails they get', async () => {
    const person = await makeAffiliatePerson(api);
    const { page, reports } = await visit(person, javaScriptEnabled);
    await page.goto('/portal');
    await goTo(page, 'Notifications');
    expect(await page.getByLabel('Completed payouts').isChecked()).toBe(true);
    await page.getByLabel('Completed payouts').uncheck();
    await page.getByLabel(/^Program /).check();
    await press(page, 'Save');
    await page.getByText('Saved').waitFor();
    expect((await callAs(api, person.actor, 'getMyNotifications', {})).data).toEqual({
      completedPayouts: false,
      programNews: true,
      mutedPrograms: [person.programId],
    });
    await page.goto('/portal/notifications');
    expect(await page.getByLabel('Completed payouts').isChecked()).toBe(false);
    await page.getByLabel(/^Program /).uncheck();
    await page.getByLabel('News of programs').uncheck();
    await press(page, 'Save');
    await page.getByText('Saved').waitFor();
    expect((await callAs(api, person.actor, 'getMyNotifications', {})).data).toEqual({
      completedPayouts: false,
      programNews: false,
      mutedPrograms: [],
    });
    expect(reports).toEqual([]);
    await page.context().close();
  });
});

test('keys of another affiliate are neither shown nor revoked, and a made-up preset is refused', async () => {
  const [mine, other] = [await makeAffiliatePerson(api), await makeAffiliatePerson(api)];
  const created = await callAs(api, other.actor, 'createApiKey', { body: { name: 'Foreign', preset: 'readonly' } });
  const { key, value } = created.data;
  const revoked = await postAs(site, mine, '/portal/keys', { sentForm: 'revoke', keyId: key.id, descendants: 'true' });
  const list = await fetch(`${site.origin}/portal/keys`, { headers: { cookie: `tributary_session_3000=${mine.token}` } });
  expect([revoked.status, (await list.text()).includes('Foreign')]).toEqual([403, false]);
  expect((await api.call('GET', '/me', { key: value })).status).toBe(200);
  const wrong = await postAs(site, mine, '/portal/keys/new', { name: 'Mine', access: 'everything' });
  expect([wrong.status, (await wrong.text()).includes('href="#main-access"')]).toEqual([422, true]);
});

test('the name of a key comes out as text', async () => {
  const person = await makeAffiliatePerson(api);
  const created = await postAs(site, person, '/portal/keys/new', { name: SCRIPT_TEXT.slice(0, 100), access: 'affiliate:full' });
  const list = await fetch(`${site.origin}/portal/keys`, { headers: { cookie: `tributary_session_3000=${person.token}` } });
  expect([created.status, list.status]).toEqual([200, 200]);
  for (const text of [await created.text(), await list.text()]) expect(text).not.toContain('<script>document');
});

test('pages of keys, notifications, sessions, passkeys and invites are accessible, narrow enough and small', async () => {
  const person = await makeAffiliatePerson(api);
  await callAs(api, person.actor, 'createApiKey', { body: { name: 'x'.repeat(80), preset: 'affiliate:full' } });
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const body = { isPublic: true, skipOnboarding: true };
  const { token } = (await api.call('POST', `/programs/${programId}/invites`, { key: merchant.key, body })).data;
  const found: string[] = [];
  for (const path of ['keys', 'keys/new', 'notifications', 'sessions', 'passkeys', `invites/${token}`])
    found.push(...(await shownProblems({ ...site, cookies: cookiesOf(person) }, `/portal/${path}`)));
  expect(found).toEqual([]);
});

test('pages of sessions and companies of merchants are accessible, narrow enough and small', async () => {
  const { owner } = await makeCompany(api);
  const found: string[] = [];
  for (const path of ['/console/settings/sessions', '/console/companies'])
    found.push(...(await shownProblems({ ...site, cookies: cookiesOf(owner) }, path)));
  expect(found).toEqual([]);
});

test('the pages that ask who it is are accessible and narrow enough', async () => {
  const person = await makeAffiliatePerson(api, { isFresh: false });
  const options = { ...site, cookies: cookiesOf(person) };
  const ask = async (page: Page): Promise<void> => {
    await page.goto('/portal/keys/new');
    await page.getByLabel('Name').fill('Blog');
    await page.getByLabel('Read only').check();
    await press(page, 'Create API key');
    await heading(page, 'Confirm that it is you');
  };
  const askForCode = async (page: Page): Promise<void> => {
    await ask(page);
    await press(page, 'Send me a code');
    await page.getByLabel('6-digit code').waitFor();
  };
  expect([...(await problemsAfter(options, ask)), ...(await problemsAfter(options, askForCode))]).toEqual([]);
});
