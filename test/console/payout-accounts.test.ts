import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { mountConsole } from '../../src/console/index.ts';
import { useOwnApi } from '../support/api.ts';
import { pageProblems } from '../support/console.ts';
import { makeKey } from '../support/factories.ts';
import { press } from '../support/fresh-check.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { makePayout } from '../support/payouts.ts';
import { makeCompany, makePerson, type TestPerson } from '../support/people.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { startPayPalDouble } from '../support/rails/paypal-double.ts';

const double = await startPayPalDouble();
afterAll(() => double.stop());

const settings = { PUBLIC_URL: 'http://localhost:3000', PAYPAL_API_URL: double.url };
const api = useOwnApi(settings, { mounts: [mountConsole], asOwner: true });
const site = useBrowserOn(api);

const ACCOUNTS = '/console/settings/payout-accounts';
const PAYPAL = `${ACCOUNTS}/paypal`;
const CLIENT = 'Acme-Client-Id-1';

const ENTERED = { sentForm: 'connect', environment: 'sandbox', clientId: CLIENT, clientSecret: `${CLIENT}-secret` };

const cookiesOf = ({ token }: Pick<TestPerson, 'token'>) => ({ tributary_session_3000: token });
const SHOTS = process.env['PAGE_SHOTS'];
const shoot = async (name: string, page: Page): Promise<void> => {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
};

const open = async (person: Pick<TestPerson, 'token'>, path: string, form?: Record<string, string>) => {
  const headers = { cookie: `tributary_session_3000=${person.token}`, origin: site.origin, 'sec-fetch-site': 'same-origin' };
  const sent = form && { method: 'POST', body: new URLSearchParams(form) };
  const response = await fetch(`${site.origin}${path}`, { redirect: 'manual', headers, ...sent });
  return { status: response.status, html: await response.text() };
};

const enterPayPal = async (page: Page, secret: string): Promise<void> => {
  await page.getByLabel('Sandbox (no money moves)').check();
  await page.getByLabel('Client ID').fill(CLIENT);
  await page.getByLabel('Secret key').fill(secret);
  await press(page, 'Connect');
};

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (how, javaScriptEnabled) => {
  it('an owner connects an account, mends it, lets it pay and disconnects it', async () => {
    const { owner } = await makeCompany(api);
    const { page, reports } = await openVisitor({ ...site, cookies: cookiesOf(owner), more: { javaScriptEnabled } });
    const shot = (name: string) => shoot(`${name} ${how}`.replaceAll(' ', '-'), page);
    await page.goto('/console/settings');
    await page.getByRole('link', { name: 'Payout accounts' }).click();
    await page.getByRole('link', { name: 'Connect your PayPal account' }).click();
    await enterPayPal(page, 'short');
    await page
      .getByRole('alert')
      .getByRole('link', { name: /^Secret key must be/ })
      .waitFor();
    expect([await page.getByLabel('Client ID').inputValue(), await page.getByLabel('Secret key').inputValue()]).toEqual([
      CLIENT,
      '',
    ]);
    await shot('refused');
    await enterPayPal(page, 'not-the-secret');
    await page.getByText('Connected, but something is missing: see below.').waitFor();
    await page.getByRole('row', { name: /PayPal refused the client ID or the secret key/ }).waitFor();
    await shot('failing');
    await page.getByRole('link', { name: 'Replace the secret' }).click();
    await page.locator('form:visible').getByLabel('Secret key').fill(`${CLIENT}-secret`);
    await shot('replace');
    await press(page, 'Replace the secret');
    await page.getByText('Secret replaced. Payouts can be paid from this account.').waitFor();
    await page.getByRole('row', { name: /Payouts is enabled/ }).waitFor();
    await shot('ready');
    await page.getByRole('link', { name: 'Choose PayPal for a payout method' }).waitFor();
    await press(page, 'Check again');
    await page.getByText('Checked. Payouts can be paid from this account.').waitFor();
    await page.getByRole('link', { name: 'Payout accounts' }).click();
    await page.getByRole('group', { name: 'PayPal' }).getByLabel('PayPal').check();
    await shot('accounts');
    await press(page, 'Save');
    await page.getByText('It applies to new payouts').waitFor();
    expect(await page.getByRole('group', { name: 'PayPal' }).getByLabel('PayPal').isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Manage PayPal' }).click();
    await page.getByRole('link', { name: 'Disconnect' }).click();
    await shot('disconnect');
    await press(page, 'Disconnect');
    await page.getByText('Nothing is paid from this account anymore').waitFor();
    await page.getByRole('heading', { name: 'Connect your PayPal account' }).waitFor();
    expect(reports).toEqual([]);
    await page.context().close();
  });
});

const connected = async () => {
  const company = await makeCompany(api);
  expect((await open(company.owner, PAYPAL, ENTERED)).status).toBe(303);
  const hold = (code: string) =>
    rowsOf(
      api,
      `update rail_account set status = 'failing', held_code = ?, held_since = now(), probe_at = now() where merchant_id = ?`,
      [code, company.merchantId],
    );
  const account = async () => (await rowsOf(api, 'select * from rail_account where merchant_id = ?', [company.merchantId]))[0];
  return { ...company, hold, account };
};

test('the pages are accessible, narrow enough and small, before and after an account is connected', async () => {
  const { owner } = await makeCompany(api);
  const options = { ...site, cookies: cookiesOf(owner) };
  const found = [];
  for (const path of [ACCOUNTS, PAYPAL, `${ACCOUNTS}/sepa`, `${ACCOUNTS}/stripe_connect`])
    found.push(...(await shownProblems(options, path, (name, page) => shoot(`none-${name}`, page))));
  const { owner: other, hold } = await connected();
  await hold('INSUFFICIENT_FUNDS');
  const more = { ...site, cookies: cookiesOf(other) };
  for (const path of [ACCOUNTS, PAYPAL, `${PAYPAL}?do=connect`, '/console'])
    found.push(...(await shownProblems(more, path, (name, page) => shoot(`held-${name}`, page))));
  expect(found).toEqual([]);
});

test('an account on hold says why and since when, and a check that finds nothing ends it', async () => {
  const { owner, hold } = await connected();
  await hold('INSUFFICIENT_FUNDS');
  const { html } = await open(owner, PAYPAL);
  expect(html).toContain('PayPal refused: there isn&#39;t enough money in the account (INSUFFICIENT_FUNDS)');
  expect(html).toContain('On hold since');
  expect((await open(owner, '/console')).html).toContain('Set up payouts <span class="hidden">done');
  expect((await open(owner, PAYPAL, { sentForm: 'check' })).status).toBe(303);
  expect((await open(owner, PAYPAL)).html).toContain('PayPal can pay from this account.');
});

test('no page shows a secret, and whoever only reads gets no form', async () => {
  const { owner, merchantId } = await connected();
  const readers = [owner, await makePerson(api, { merchantId, role: 'finance' })];
  for (const person of readers)
    for (const path of [ACCOUNTS, PAYPAL, `${PAYPAL}?do=replace`, `${PAYPAL}?do=connect`, '/console/settings/audit-log']) {
      const { html } = await open(person, path);
      expect([html.includes('-secret'), html.includes(CLIENT), pageProblems(html)]).toEqual([false, false, []]);
    }
  const [, finance] = readers;
  const { html } = await open(finance as TestPerson, PAYPAL);
  expect([html.includes('Check again'), html.includes('Disconnect'), html.includes('Replace')]).toEqual([true, false, false]);
  expect((await open(finance as TestPerson, PAYPAL, { sentForm: 'disconnect' })).status).toBe(403);
});

test('a bank account is connected with its address, changed, and cleared where a field is emptied', async () => {
  const { owner, merchantId } = await makeCompany(api);
  const at = `${ACCOUNTS}/sepa`;
  const fields = {
    debtorName: 'Acme GmbH',
    debtorIban: 'DE89 3704 0044 0532 0130 00',
    charset: 'sepa',
    payeeVerification: 'bank',
  };
  const address = { debtorAddress_postCode: '10115', debtorAddress_town: 'Berlin', debtorAddress_country: 'DE' };
  const refused = await open(owner, at, { sentForm: 'connect', ...fields, debtorIban: 'DE00', debtorAddress_town: 'Berlin' });
  expect(refused.status).toBe(422);
  expect(refused.html).toContain('IBAN must be a valid IBAN');
  expect(refused.html).toContain('href="#connect-debtorAddress_postCode"');
  expect(
    (await open(owner, at, { sentForm: 'connect', ...fields, ...address, instant: 'on', maxTransactions: '50' })).status,
  ).toBe(303);
  const settings = async () =>
    (await rowsOf(api, 'select settings from rail_account where merchant_id = ? and is_current', [merchantId]))[0]?.['settings'];
  expect(await settings()).toMatchObject({
    debtorAddress: { postCode: '10115', town: 'Berlin', country: 'DE' },
    ...{ instant: true, maxTransactions: 50, acscIsPaid: false },
  });
  const { html } = await open(owner, at);
  expect(html).toContain('…3000');
  expect(html).not.toContain('DE89');
  const { debtorIban: _, ...kept } = fields;
  expect((await open(owner, at, { sentForm: 'change', ...kept, debtorName: 'Acme AG' })).status).toBe(303);
  expect(await settings()).toMatchObject({ debtorName: 'Acme AG', debtorIban: 'DE89370400440532013000', instant: false });
  expect(await settings()).not.toHaveProperty('debtorAddress');
});

test('an owner whose passkey was not used lately is asked for it, and what was entered waits', async () => {
  const { merchantId } = await makeCompany(api);
  const owner = await makePerson(api, { merchantId, isFresh: false });
  const { status, html } = await open(owner, PAYPAL, ENTERED);
  expect([status, html.includes('Confirm that it is you')]).toEqual([403, true]);
  expect(await rowsOf(api, 'select id from rail_account where merchant_id = ?', [merchantId])).toEqual([]);
});

test('an account that payouts wait for is not disconnected, and the page says why', async () => {
  const { owner, merchantId, account } = await connected();
  const { key, keyId } = await makeKey(api.runtime, { ownerId: merchantId });
  const { payoutId } = await makePayout(api, { merchant: { merchantId, key, keyId } });
  await rowsOf(api, `update payout set rail = 'paypal' where id = ?`, [payoutId]);
  const { status, html } = await open(owner, PAYPAL, { sentForm: 'disconnect' });
  expect([status, html.includes('Payouts still wait to be paid from this account')]).toEqual([409, true]);
  expect(pageProblems(html)).toEqual([]);
  expect(await account()).toMatchObject({ is_current: true });
});

test('what somebody else chose since the page was opened is not set back', async () => {
  const { owner, merchantId } = await connected();
  const chosen = async () =>
    (await rowsOf(api, 'select payout_rails from merchant where id = ?', [merchantId]))[0]?.['payout_rails'];
  const shown = 'paypal=manual&bank_transfer=manual';
  const send = (fields: Record<string, string>) => open(owner, ACCOUNTS, { sentForm: 'choice', shown, ...fields });
  expect((await send({ paypal: 'paypal', bank_transfer: 'manual' })).status).toBe(303);
  expect(await chosen()).toEqual({ paypal: 'paypal', bank_transfer: null });
  expect((await send({ paypal: 'manual', bank_transfer: 'sepa' })).status).toBe(303);
  expect(await chosen()).toEqual({ paypal: 'paypal', bank_transfer: 'sepa' });
  expect((await open(owner, ACCOUNTS)).html).toContain(
    'Connect an account first. Until then, payouts by this method are refused.',
  );
});
