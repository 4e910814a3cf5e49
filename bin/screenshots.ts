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

const findNewestCompletedPayout = async (stack: Stack): Promise<string> => {
  const response = await fetch(`${stack.apiUrl}/payouts?status=completed&limit=1`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
    signal: AbortSignal.timeout(5_000),
  });
  const { data } = (await response.json()) as { data: { id: string }[] };
  if (!data[0]) throw new Error('No completed payout found: run npm start first');
  return data[0].id;
};

const stack = JSON.parse(await readFile('.data/stack.json', 'utf8')) as Stack;
const payoutId = await findNewestCompletedPayout(stack);
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
  const workflowUrl = `${stack.temporalUiUrl}/namespaces/default/workflows/${encodeURIComponent(`payout/${payoutId}`)}`;
  await take(page, workflowUrl, 'payoutLifecycle', 'payout-history');
} finally {
  await browser.close();
}
