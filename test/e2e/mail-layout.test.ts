import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { renderMail } from '../../src/domains/notifications/render-mail.rules.ts';
import { endVisits, sharedBrowser } from '../support/browser.ts';
import { MAIL_SAMPLES } from '../support/mail-samples.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(endVisits);

/** Runs in the page. */
const MEASURE = `({
  needed: document.documentElement.scrollWidth,
  smallest: Math.min(...[...document.querySelectorAll('h1,h2,p,td td')].map((element) => parseFloat(getComputedStyle(element).fontSize))),
})`;

/** Set it to look at the mails. */
const FOLDER = process.env['MAIL_SCREENSHOTS'];

it.each([360, 600])('every mail fits a window of %i pixels, and opening it makes no request', async (width) => {
  if (FOLDER) await mkdir(FOLDER, { recursive: true });
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const wide: string[] = [];
  for (const [name, content] of Object.entries(MAIL_SAMPLES)) {
    await page.setContent(renderMail(content).html);
    const { needed, smallest } = await page.evaluate<{ needed: number; smallest: number }>(MEASURE);
    if (needed > width || smallest < 13) wide.push(`${name}: ${needed} px, text of ${smallest} px`);
    if (FOLDER) await page.screenshot({ path: join(FOLDER, `${name}-${width}.png`), fullPage: true });
  }
  expect(wide).toEqual([]);
  expect(requests).toEqual([]);
  await page.close();
});
