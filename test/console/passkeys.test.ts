import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { mountConsole } from '../../src/console/index.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { execute, sql } from '../../src/platform/database/sql.ts';
import { useOwnApi } from '../support/api.ts';
import { endVisits, sharedBrowser } from '../support/browser.ts';
import { makeMerchant, unique } from '../support/factories.ts';
import { confirmByCode, heading, press } from '../support/fresh-check.ts';
import { openVisitor, shownProblems } from '../support/page-checks.ts';
import { addDevice, usePasskey } from '../support/passkey-device.ts';
import { makeAffiliatePerson, makePerson, type TestPerson } from '../support/people.ts';

/** Passkeys belong to the origin of PUBLIC_URL. */
const port = await findFreePort(0);
const origin = `http://localhost:${port}`;
const api = useOwnApi({ PUBLIC_URL: origin }, { mounts: [mountConsole] });
let browser: Browser;

beforeAll(async () => {
  await api.app.listen({ host: '127.0.0.1', port });
  expect((api.app.server.address() as AddressInfo).port).toBe(port);
  browser = await sharedBrowser();
});
afterAll(endVisits);

const cookiesOf = ({ token }: Pick<TestPerson, 'token'>) => ({ [`tributary_session_${port}`]: token });
const makeStale = async () => makePerson(api, { ...(await makeMerchant(api.runtime)), isFresh: false });

const makeSignedInAffiliate = () => makeAffiliatePerson(api, { isFresh: false });

const addPasskey = async (page: Page, person: Pick<TestPerson, 'personId'>, name: string): Promise<void> => {
  await press(page, 'Add a passkey');
  await confirmByCode(api, page, person);
  await page.getByLabel('Name').fill(name);
  await press(page, 'Add a passkey');
  await page.getByText(`${name} is added`).waitFor();
};

test('a person adds a passkey with a mailed code, invites somebody with it, and signs in with it', async () => {
  const person = await makeStale();
  const { page, reports } = await openVisitor({ browser, origin, cookies: cookiesOf(person) });
  await addDevice(page);
  const email = `viewer-${unique()}@acme.example`;
  await page.goto('/console/settings/people');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Viewer', { exact: true }).check();
  await press(page, 'Send the invite');
  await page.getByText('This needs a passkey').waitFor();
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await heading(page, 'Passkeys');
  await addPasskey(page, person, 'Laptop');

  await execute(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql`update person_session set passkey_at = null, code_at = null where person_id = ${person.personId}::uuid`,
  );
  await page.goto('/console/settings/people');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Viewer', { exact: true }).check();
  await press(page, 'Send the invite');
  // The device answers, and what waited goes on.
  await page.getByText(`${email} gets a link`).waitFor();

  await press(page, 'Sign out');
  await heading(page, 'Sign in');
  await page.getByRole('link', { name: 'Use a passkey' }).click();
  await usePasskey(page);
  await page.waitForURL('**/console');
  await page.goto('/console/settings/passkeys');
  await press(page, 'Delete');
  await page.getByText('Laptop is deleted').waitFor();
  expect(reports).toEqual([]);
  await page.context().close();
});

test('without scripts, a mailed code suffices for a key, and passkeys say what they need', async () => {
  const person = await makeStale();
  const { page, reports } = await openVisitor({
    browser,
    origin,
    cookies: cookiesOf(person),
    more: { javaScriptEnabled: false },
  });
  await page.goto('/console/settings/api-keys/new');
  await page.getByLabel('Name').fill('Shop');
  await page.getByLabel('Read only').check();
  await press(page, 'Create API key');
  await confirmByCode(api, page, person);
  await heading(page, 'API key created');
  await page.goto('/console/settings/passkeys');
  await press(page, 'Add a passkey');
  await page.getByLabel('Name').fill('Laptop');
  await press(page, 'Add a passkey');
  await page.getByText('Passkeys need JavaScript').waitFor();
  expect(reports).toEqual([]);
  await page.context().close();
});

test('an affiliate changes payout details with a mailed code, and the change goes on where it was asked for', async () => {
  const person = await makeSignedInAffiliate();
  const more = { javaScriptEnabled: false };
  const { page, reports } = await openVisitor({ browser, origin, cookies: cookiesOf(person), more });
  await page.goto('/portal/details');
  await page.getByLabel('PayPal', { exact: true }).check();
  await page.getByLabel('PayPal email address').fill('ada@paypal.example');
  await press(page, 'Save');
  await confirmByCode(api, page, person);
  await heading(page, 'Payout details');
  expect(await page.getByLabel('PayPal email address').inputValue()).toBe('ada@paypal.example');
  expect(reports).toEqual([]);
  await page.context().close();
});

test('an affiliate without a passkey is offered one, and signs in with it', async () => {
  const person = await makeSignedInAffiliate();
  const { page, reports } = await openVisitor({ browser, origin, cookies: cookiesOf(person) });
  await addDevice(page);
  await page.goto('/portal');
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await heading(page, 'Passkeys');
  await addPasskey(page, person, 'Phone');
  await page.goto('/portal');
  expect(await page.getByRole('link', { name: 'Add a passkey' }).count()).toBe(0);
  expect(await shownProblems({ browser, origin, cookies: cookiesOf(person) }, '/portal/passkeys')).toEqual([]);
  await press(page, 'Sign out');
  await page.getByRole('link', { name: 'Use a passkey' }).click();
  await usePasskey(page);
  await page.waitForURL('**/portal');
  expect(reports).toEqual([]);
  await page.context().close();
});

test('a browser without passkeys says so, and the form stays', async () => {
  const person = await makeStale();
  const { page } = await openVisitor({ browser, origin });
  await page.goto('/sign-in/passkey');
  await page.evaluate('delete globalThis.PublicKeyCredential');
  await usePasskey(page);
  await page.getByText('The passkey was not accepted').waitFor();
  expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(1);
  await page.context().close();
  const cookies = cookiesOf(person);
  const found = await shownProblems({ browser, origin, cookies }, '/console/settings/passkeys');
  expect([...found, ...(await shownProblems({ browser, origin }, '/sign-in/passkey'))]).toEqual([]);
});
