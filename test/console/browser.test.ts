import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { axeViolations } from '../support/axe.ts';
import { makeMerchantActing, SCRIPT_TEXT, useConsole } from '../support/console.ts';
import { makeProgram } from '../support/factories.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { KIT_PAGES } from './kit-pages.ts';

const pages = useConsole(KIT_PAGES);
const site = useBrowserOn(pages.api);

const signIn = async () => {
  const acting = await makeMerchantActing(pages);
  const session = pages.sessions.open({ merchant: acting });
  return { ...acting, cookies: { tributary_session_3000: session } };
};

const SHOTS = process.env['PAGE_SHOTS'];
const shoot = async (name: string, page: Page): Promise<void> => {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
};

test('every page is accessible, narrow enough and small, in light and in dark', async () => {
  const { key, cookies } = await signIn();
  for (const name of ['Spring sale', 'A program with a name that is so long that it fits on no phone', 'x'.repeat(80)])
    await makeProgram(pages.api, key, { name });
  const { programId } = await makeProgram(pages.api, key, { name: 'Summer', website: 'https://acme.example' });
  const found: string[] = [];
  for (const path of [
    '/console',
    '/console/programs/new',
    `/console/programs/${programId}`,
    '/console/keys',
    '/hello?name=Ada',
    '/console/no',
  ])
    found.push(...(await shownProblems({ ...site, cookies }, path, shoot)));
  expect(found).toEqual([]);
});

const fill = async (page: Page, name: string): Promise<void> => {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Every payment').check();
  await page.getByLabel('Percent').fill('20');
  await page.getByRole('button', { name: 'Create' }).click();
};

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_how, javaScriptEnabled) => {
  it('a form says what is wrong, and leads on when it is right', async () => {
    const { cookies } = await signIn();
    const { page, reports } = await openVisitor({ ...site, cookies, more: { javaScriptEnabled } });
    await page.goto('/console');
    await page.getByRole('link', { name: 'New program' }).click();
    await fill(page, '');
    await page.getByRole('alert').getByRole('link', { name: 'Name must not be empty' }).click();
    expect(new URL(page.url()).pathname).toBe('/console/programs/new');
    await fill(page, SCRIPT_TEXT.slice(0, 60));
    await page.getByRole('heading', { level: 1, name: '</textarea>' }).waitFor();
    expect(page.url()).toMatch(/\/console\/programs\/[0-9a-f-]{36}$/);
    expect(await page.getByRole('status').textContent()).toContain('is ready');
    await page.reload();
    expect(await page.getByRole('status').count()).toBe(0);
    expect(reports).toEqual([]);
    await page.context().close();
  });
});

test('scripts replace the page instead of loading another one, and put the focus where reading goes on', async () => {
  const { cookies } = await signIn();
  const { page, reports } = await openVisitor({ ...site, cookies });
  await page.goto('/console');
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  const isSamePage = (): Promise<boolean> => page.evaluate(() => 'isSamePage' in globalThis);
  await page.getByRole('link', { name: 'New program' }).click();
  await page.getByRole('heading', { level: 1, name: 'New program' }).waitFor();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.evaluate('document.activeElement.className')).toContain('problems');
  expect(await page.title()).toBe('Error: New program · Tributary');
  expect(await axeViolations(page)).toEqual([]);
  await shoot('form-with-problems', page);
  await fill(page, 'Autumn');
  await page.getByRole('heading', { level: 1, name: 'Autumn' }).waitFor();
  expect(await isSamePage()).toBe(true);
  await page.goBack();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'New program' }).waitFor();
  expect(reports).toEqual([]);
  await page.context().close();
});

test('on a phone, the navigation opens from a button, by keyboard too', async () => {
  const { cookies } = await signIn();
  for (const javaScriptEnabled of [true, false]) {
    const more = { viewport: { width: 360, height: 700 }, javaScriptEnabled };
    const { page } = await openVisitor({ ...site, cookies, more });
    await page.goto('/console');
    expect(await page.getByRole('link', { name: 'API keys' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await shoot(`menu-${javaScriptEnabled}`, page);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.context().close();
  }
});

test('a copied text is on the clipboard, and without scripts there is no button', async () => {
  const { key, cookies } = await signIn();
  const { programId } = await makeProgram(pages.api, key);
  const more = { permissions: ['clipboard-read', 'clipboard-write'] };
  const { page } = await openVisitor({ ...site, cookies, more });
  await page.goto(`/console/programs/${programId}`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^https:\/\/acme\.example\/\?via=/);
  const plain = await openVisitor({ ...site, cookies, more: { javaScriptEnabled: false } });
  await plain.page.goto(`/console/programs/${programId}`);
  expect(await plain.page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
});

test('a page of another site can neither send a form nor show a page in a frame', async () => {
  const { cookies, key } = await signIn();
  const { page } = await openVisitor({ ...site, cookies });
  const evil = site.origin.replace('localhost', 'evil.example');
  const fields =
    '<input name="name" value="Evil"><input name="commissionType" value="recurring"><input name="commissionPercent" value="20">';
  const body = `<form method="post" action="${site.origin}/console/programs/new">${fields}</form><iframe src="${site.origin}/hello?name=x"></iframe>`;
  await page.route(`${evil}/**`, (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(`${evil}/`);
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  expect(await frame?.getByRole('heading', { name: 'Hello' }).count()).toBe(0);
  await page.evaluate('document.forms[0].submit()');
  await page.waitForURL('**/console/programs/new');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('The form was not accepted');
  expect((await pages.api.call('GET', '/programs', { key })).meta.total).toBe(0);
  await page.context().close();
});
