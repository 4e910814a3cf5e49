import { readFile } from 'node:fs/promises';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../src/demo/find-browser.ts';

const IMAGES = new URL('../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1440, height: 1240 };

interface Stack {
  docsUrl: string;
  apiUrl: string;
  temporalUiUrl: string;
  merchantKey: string;
}

/** Takes the screenshots of the README from the running system (`npm start`) with a headless browser. */
const take = async (page: Page, url: string, ready: string, name: string): Promise<void> => {
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.getByText(ready).first().waitFor({ timeout: 20_000 });
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: `${IMAGES}${name}.png` });
  process.stdout.write(`docs/images/${name}.png\n`);
};

/** Null when there is none. */
const findNewestPayout = async (stack: Stack, status: string, needsAttention = false): Promise<string | null> => {
  const response = await fetch(`${stack.apiUrl}/payouts?status=${status}&limit=50`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
    signal: AbortSignal.timeout(5_000),
  });
  const { data } = (await response.json()) as { data: { id: string; needsAttention: boolean }[] };
  return data.find((payout) => payout.needsAttention === needsAttention)?.id ?? null;
};

/** The pictures of payouts by name; those without such a payout are left out. */
const PAYOUTS = [
  { name: 'payout-history', status: 'completed', needsAttention: false },
  { name: 'payout-in-progress', status: 'processing', needsAttention: false },
  { name: 'payout-manual-review', status: 'processing', needsAttention: true },
  { name: 'payout-failed', status: 'failed', needsAttention: false },
];

const takeWorkflows = async (page: Page, stack: Stack): Promise<void> => {
  const workflows = `${stack.temporalUiUrl}/namespaces/default/workflows`;
  await take(page, `${workflows}?query=${encodeURIComponent('WorkflowId STARTS_WITH "payout/"')}`, 'payout/', 'payout-list');
  for (const { name, status, needsAttention } of PAYOUTS) {
    const id = await findNewestPayout(stack, status, needsAttention);
    if (id === null) process.stdout.write(`docs/images/${name}.png: there is no such payout\n`);
    else await take(page, `${workflows}/${encodeURIComponent(`payout/${id}`)}`, 'payoutLifecycle', name);
  }
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
  await take(page, stack.docsUrl, 'Tributary', 'api-reference');
  if (externalHosts.length > 0)
    throw new Error(`The API reference sent requests to other hosts: ${[...new Set(externalHosts)].join(', ')}`);
  if (violations.length > 0) throw new Error(`The API reference violates its content security policy: ${violations.join('; ')}`);
  await takeWorkflows(page, stack);
} finally {
  await browser.close();
}
