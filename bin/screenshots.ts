import { readFile } from 'node:fs/promises';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../src/local-stack/browser.ts';

const IMAGES = new URL('../docs/images/', import.meta.url).pathname;
const SIZE = { width: 1440, height: 1240 };

interface Stack {
  docsUrl: string;
  apiUrl: string;
  temporalUiUrl: string;
  merchantKey: string;
}

/** Takes the README's pictures of the running local stack (`npm start`), with a real headless browser. */
const take = async (page: Page, url: string, ready: string, name: string): Promise<void> => {
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.getByText(ready).first().waitFor({ timeout: 20_000 });
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: `${IMAGES}${name}.png` });
  process.stdout.write(`docs/images/${name}.png\n`);
};

const newestCompleted = async (stack: Stack): Promise<string> => {
  const answer = await fetch(`${stack.apiUrl}/payouts?status=completed&limit=1`, {
    headers: { authorization: `Bearer ${stack.merchantKey}` },
    signal: AbortSignal.timeout(5_000),
  });
  const { data } = (await answer.json()) as { data: { id: string }[] };
  if (!data[0]) throw new Error('There is no completed payout yet: run npm start first');
  return data[0].id;
};

const stack = JSON.parse(await readFile('.data/stack.json', 'utf8')) as Stack;
const payoutId = await newestCompleted(stack);
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
  const outside: string[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith('http') && !/^https?:\/\/(127\.0\.0\.1|localhost)[:/]/.test(request.url()))
      outside.push(new URL(request.url()).host);
  });
  await take(page, stack.docsUrl, 'Tributary', 'api-reference');
  if (outside.length > 0) throw new Error(`The reference page asked other hosts: ${[...new Set(outside)].join(', ')}`);
  const story = `${stack.temporalUiUrl}/namespaces/default/workflows/${encodeURIComponent(`payout/${payoutId}`)}`;
  await take(page, story, 'payoutLifecycle', 'payout-history');
} finally {
  await browser.close();
}
