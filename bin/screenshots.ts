import { readFile } from 'node:fs/promises';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../src/local/demo/find-browser.ts';
import { temporalUiSettings } from '../src/local/demo/temporal-ui-settings.ts';

const IMAGES = new URL('../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1440, height: 1100 };

interface Stack {
  docsUrl: string;
  apiUrl: string;
  temporalUiUrl: string;
  merchantKey: string;
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

/** The newest one. Null when there is none. */
const findPaidPayout = async (stack: Stack): Promise<string | null> => {
  const response = await fetch(`${stack.apiUrl}/payouts?status=completed&limit=1`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
    signal: AbortSignal.timeout(5_000),
  });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data[0]?.id ?? null;
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
  await take(page, stack.docsUrl, { name: 'api-reference', ready: 'Tributary' });
  if (externalHosts.length > 0)
    throw new Error(`The API reference sent requests to other hosts: ${[...new Set(externalHosts)].join(', ')}`);
  if (violations.length > 0) throw new Error(`The API reference violates its content security policy: ${violations.join('; ')}`);
  await takeWorkflows(page, stack);
} finally {
  await browser.close();
}
