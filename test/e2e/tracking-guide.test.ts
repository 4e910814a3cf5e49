import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { devices } from 'playwright-core';
import { isBrowser } from '../../src/platform/http/browser.ts';
import { clicksOf, makeShopProgram, newPage, requireConsent, useTrackedShop } from '../support/shop/tracked-shop.ts';

const GUIDE = fileURLToPath(new URL('../../docs/guides/tracking.md', import.meta.url));
const tracked = useTrackedShop();

/** The HTML blocks of the guide, by the word after `html`, with the address and the program of a reader. */
const readBlocks = async (programId: string): Promise<Record<string, string>> => {
  const text = (await readFile(GUIDE, 'utf8')).replaceAll('$TRIBUTARY_URL', tracked.origin).replaceAll('$PROGRAM_ID', programId);
  return Object.fromEntries([...text.matchAll(/^```html (\w+)\n([\s\S]*?)^```$/gm)].map(([, name, code]) => [name, code]));
};

test('the HTML of docs/guides/tracking.md works together on one page', async () => {
  const program = await makeShopProgram(tracked);
  await requireConsent(tracked, program);
  const { install, checkout, consent, spa, ...others } = await readBlocks(program.programId);
  expect(others).toEqual({});
  const { page, cookies, settled, errors } = await newPage(tracked);
  const body = `<!doctype html><title>Guide</title>${install}${checkout}${consent}${spa}`;
  await tracked.shop.servePage(program.programId, body);
  await page.goto(program.url('own'));
  await page.evaluate(`navigate('${program.url('pricing')}?via=${program.affiliate.code}')`);
  await page.locator('#decline').click();
  expect(await cookies()).toEqual({});
  await page.locator('#accept').click();
  await settled();
  expect(page.url()).toBe(program.url('pricing'));
  const [click] = await clicksOf(tracked, program);
  const order = page.waitForRequest('**/orders');
  await page.locator('#checkout button').click();
  expect((await order).postData()).toBe(`agentref_cid=${click?.token}`);
  expect(errors).toEqual([]);
});

test('IN12: the browser of a test tool is a bot, and is none with the user agent of the section on end-to-end tests', async () => {
  const [, section = ''] = (await readFile(GUIDE, 'utf8')).split('## End-to-end tests');
  const [, device = ''] = /devices\['([^']+)'\]/.exec(section) ?? [];
  const userAgent = devices[device]?.userAgent ?? '';
  const headless = userAgent.replace(' Chrome/', ' HeadlessChrome/');
  expect([isBrowser(headless), isBrowser(`${userAgent} Cypress/14.0.0`), isBrowser(userAgent)]).toEqual([false, false, true]);
  for (const named of ['HeadlessChrome', 'Cypress', '`BOT`']) expect(section).toContain(named);
});
