import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../src/local/demo/find-browser.ts';
import { temporalUiSettings } from '../src/local/demo/temporal-ui-settings.ts';

const IMAGES = new URL('../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1440, height: 1100 };
const PHONE = { width: 390, height: 844 };

interface Stack {
  origin: string;
  affiliateKey: string;
  docsUrl: string;
  apiUrl: string;
  temporalUiUrl: string;
  merchantKey: string;
}

/** Whom a key belongs to. */
interface Owned {
  owner: { merchantId?: string; affiliateId?: string; email: string };
}

interface Picture {
  name: string;
  /** Text that the page shows once it has loaded. */
  ready: string;
}

/** Takes the screenshots of the README from the running system (`npm start`) with a headless browser. */
const take = async (page: Page, url: string, { name, ready }: Picture): Promise<void> => {
  // Never `networkidle`: the Temporal UI polls.
  await page.goto(url);
  await page.getByText(ready).first().waitFor({ timeout: 20_000 });
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: `${IMAGES}${name}.png` });
  process.stdout.write(`docs/images/${name}.png\n`);
};

const get = async <T>({ apiUrl }: Stack, path: string, key: string): Promise<T> => {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(apiUrl + path, { headers, signal: AbortSignal.timeout(5_000) });
  return ((await response.json()) as { data: T }).data;
};

/** The newest one. Null when there is none. */
const findPaidPayout = async (stack: Stack): Promise<string | null> => {
  const payouts = await get<{ id: string }[]>(stack, '/payouts?status=completed&limit=1', stack.merchantKey);
  return payouts[0]?.id ?? null;
};

const signIn = async (page: Page, args: readonly string[]): Promise<void> => {
  const command = ['bin/admin.ts', 'sign-in-link', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 60_000 });
  await page.goto((JSON.parse(stdout) as { url: string }).url);
  await page.getByRole('button').first().click();
  await page.waitForURL(/\/(console|portal)/);
};

/** What an owner of the demo merchant and an affiliate see. */
const takePages = async (browser: Browser, stack: Stack): Promise<void> => {
  const merchant = await get<Owned>(stack, '/me', stack.merchantKey);
  const affiliate = await get<Owned>(stack, '/me', stack.affiliateKey);
  const payoutId = await findPaidPayout(stack);
  const owner = await browser.newPage({ viewport: SIZE });
  await signIn(owner, ['--merchant', String(merchant.owner.merchantId), '--email', merchant.owner.email]);
  if (payoutId !== null)
    await take(owner, `${stack.origin}/console/payouts/${payoutId}`, { name: 'console-payout', ready: 'Paid' });
  const portal = await browser.newPage({ viewport: PHONE, locale: 'en-US' });
  await signIn(portal, ['--affiliate', String(affiliate.owner.affiliateId)]);
  await take(portal, `${stack.origin}/portal`, { name: 'portal', ready: 'Paid' });
};

const takeWorkflows = async (page: Page, stack: Stack): Promise<void> => {
  const workflows = `${stack.temporalUiUrl}/namespaces/tributary/workflows`;
  await page.addInitScript((settings) => {
    for (const [name, value] of Object.entries(settings)) localStorage.setItem(name, value);
  }, temporalUiSettings('tributary'));
  await take(page, `${workflows}?query=${encodeURIComponent('WorkflowId STARTS_WITH "payout/"')}`, {
    name: 'payout-list',
    ready: '30.00 USD',
  });
  const id = await findPaidPayout(stack);
  if (id === null) process.stdout.write('docs/images/payout-history.png: no payout was paid\n');
  else
    await take(page, `${workflows}/${encodeURIComponent(`payout/${id}`)}`, { name: 'payout-history', ready: 'payoutLifecycle' });
};

const stack = JSON.parse(await readFile('.data/stack.json', 'utf8')) as Stack;
const browser = await chromium.launch({
  executablePath: await findBrowser(process.env, (line) => process.stdout.write(`${line}\n`)),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
try {
  const page = await browser.newPage({ viewport: SIZE });
  const externalHosts: string[] = [];
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().startsWith('http') && !/^https?:\/\/(127\.0\.0\.1|localhost)[:/]/.test(request.url()))
      externalHosts.push(new URL(request.url()).host);
  });
  await take(page, stack.docsUrl, { name: 'api-reference', ready: 'Start here' });
  if (externalHosts.length > 0)
    throw new Error(`The API reference sent requests to other hosts: ${[...new Set(externalHosts)].join(', ')}`);
  if (violations.length > 0) throw new Error(`The API reference violates its content security policy: ${violations.join('; ')}`);
  await takeWorkflows(page, stack);
  await takePages(browser, stack);
} finally {
  await browser.close();
}
