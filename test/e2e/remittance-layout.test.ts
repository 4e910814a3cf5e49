import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { useOwnApi } from '../support/api.ts';
import { endVisits, sharedBrowser } from '../support/browser.ts';
import { sendSale } from '../support/factories.ts';
import { makeManualPayout } from '../support/payouts.ts';

const api = useOwnApi();
let browser: Browser;
let origin: string;
beforeAll(async () => {
  browser = await sharedBrowser();
  origin = await api.app.listen({ port: 0, host: '127.0.0.1' });
  api.runtime.settings.publicUrl = origin;
});
afterAll(endVisits);

/** Set it to look at the page. */
const FOLDER = process.env['REMITTANCE_SCREENSHOTS'];

/** Makes the page of a payout with enough commissions for several printed pages. */
const makeUrl = async (): Promise<string> => {
  const { key, affiliateId, programId, program, code, act } = await makeManualPayout(api);
  await act('cancel');
  const longName = 'Donaudampfschifffahrtsgesellschaftspartnerprogrammverwaltungsabteilung & Söhne <GmbH>';
  await api.call('PATCH', '/merchant', {
    key,
    body: { companyName: longName, addressLine1: 'Kai 1', postalCode: '1010', city: 'Wien' },
  });
  for (let n = 0; n < 45; n++)
    await sendSale(api, program, {
      saleId: `order-${'0123456789'.repeat(n === 0 ? 12 : 1)}-${n}`,
      amount: 10_000 + n,
      referralCode: code,
    });
  for (const [kind, amount] of [
    ['bonus', 500],
    ['clawback', -250],
  ] as const)
    await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: { kind, amount, note: 'Test' } });
  const { id } = (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  await api.call('POST', `/payouts/${id}/process`, { key });
  await api.call('POST', `/payouts/${id}/complete`, { key, body: { bankReference: 'SCT 4711' } });
  return (await api.call('GET', `/payouts/${id}/remittance`, { key })).data.url;
};

it('fits a phone, a screen and A4, with its style and without any other request', async () => {
  const url = await makeUrl();
  if (FOLDER) await mkdir(FOLDER, { recursive: true });
  for (const width of [360, 1_000]) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const problems: string[] = [];
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(url);
    const { needed, margin } = await page.evaluate<{ needed: number; margin: string }>(
      `({ needed: document.documentElement.scrollWidth, margin: getComputedStyle(document.querySelector('h1')).marginTop })`,
    );
    expect([width, needed <= width, margin, requests, problems]).toEqual([width, true, '0px', [url], []]);
    if (FOLDER) await page.screenshot({ path: join(FOLDER, `page-${width}.png`), fullPage: true });
    if (width === 1_000) {
      const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
      if (FOLDER) await writeFile(join(FOLDER, 'page.pdf'), pdf);
      expect(pdf.toString('latin1').match(/\/Type ?\/Page\b/g)?.length).toBeGreaterThan(1);
    }
    await page.close();
  }
});
