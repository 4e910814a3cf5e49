import type { Browser, Page } from 'playwright-core';
import { createPersonInvite } from '../../src/domains/people/index.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { endVisits, sharedBrowser } from '../support/browser.ts';
import { makeMerchant, makeProgram, sendSale, unique } from '../support/factories.ts';
import { confirmWith, heading, press } from '../support/fresh-check.ts';
import { openVisitor } from '../support/page-checks.ts';
import { addDevice, usePasskey } from '../support/passkey-device.ts';
import { forgetProof } from '../support/passkeys.ts';
import { makePayees } from '../support/payout-runs.ts';
import { type FakeSmtpServer, startSmtpServer } from '../support/smtp/smtp-server.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const PAYEES = 300;

let smtp: FakeSmtpServer;
let system: TestSystem;
let browser: Browser;
beforeAll(async () => {
  smtp = await startSmtpServer();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Tributary <mail@example.com>' };
  system = await openTestSystem({ env, hostname: 'localhost' });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endVisits();
  await system?.close();
  await smtp?.stop();
});

const newAddress = (name: string): string => `${name}-${unique()}@acme.example`;

/** What the pattern finds in the newest mail to an address that has it. */
const mailWith = async (address: string, pattern: RegExp): Promise<string> =>
  (await until(
    `${address} has a mail that matches ${pattern}`,
    async () => (await smtp.mailsTo(address)).map(({ text = '' }) => pattern.exec(text)?.[0]).findLast((found) => found),
    (found) => found !== undefined,
  )) ?? '';

const codeFor = (address: string): Promise<string> => mailWith(address, /\b\d{3} \d{3}\b/);

const personWith = async (address: string): Promise<string> => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  return (await firstRow(em, sql<{ id: string }>`select id from person where email = ${address}`))?.id ?? '';
};

const visit = (more = {}) => openVisitor({ browser, origin: system.origin, more });

const signUpBy = async (page: Page, link: string, name: string): Promise<void> => {
  await page.goto(link);
  await page.getByLabel('Your name').fill(name);
  await press(page, 'Accept and sign in');
  await page.waitForURL('**/console');
};

const addPasskey = async (page: Page, address: string): Promise<void> => {
  await addDevice(page);
  await page.goto('/console/settings/passkeys');
  await press(page, 'Add a passkey');
  await confirmWith(page, () => codeFor(address));
  await page.getByLabel('Name').fill('Laptop');
  await press(page, 'Add a passkey');
  await page.getByText('Laptop is added').waitFor();
};

test('on a phone, an invited person joins by the mails alone, and a sale by their first link is under their earnings', async () => {
  const { key } = await makeMerchant(system.runtime);
  const program = await makeProgram(system, key, { name: 'Acme Partners', website: 'https://acme.example' });
  const email = newAddress('ada');
  const body = { email, skipOnboarding: true, sendMail: true };
  expect((await system.call('POST', `/programs/${program.programId}/invites`, { key, body })).status).toBe(201);
  const { page, reports } = await visit({ viewport: { width: 360, height: 700 } });
  await page.goto(await mailWith(email, /http:\S+\/i\/\S+/));
  await page.getByLabel('Your name').fill('Ada Byron');
  await press(page, 'Send me a link');
  await page.getByLabel('6-digit code').fill(await codeFor(email));
  await press(page, 'Confirm');
  await press(page, 'Accept the terms and join');
  await page.getByRole('img', { name: /QR code of the link/ }).waitFor();
  const link = new URL((await page.getByText(/^https:\/\/acme\.example\/\?/).textContent()) ?? '');
  const [referralCode = ''] = [...link.searchParams.values()];
  const sale = await sendSale(system, program, { saleId: `sale-${unique()}`, amount: 12_345, referralCode });
  expect(sale.data).toMatchObject({ outcome: 'recorded' });
  await page.goto('/portal/earnings');
  await page.getByRole('row', { name: /\$24\.69.*\$123\.45/ }).waitFor();
  expect(reports).toEqual([]);
  await page.context().close();
});

test(`an owner invites finance, finance drafts a run of ${PAYEES}, the owner approves it with a passkey, and what is not paid is explained`, async () => {
  const odd = [
    { amount: 1_000 },
    { amount: 20_000, local: null },
    { amount: 20_000, local: `cannot-receive+${unique()}` },
    { amount: 20_000, local: `fail-definite+${unique()}` },
  ];
  const usual = Array.from({ length: PAYEES - odd.length }, () => ({ amount: 20_000 }));
  const { merchantId, key } = await makePayees(system, [...odd, ...usual]);

  const address = newAddress('owner');
  const { url } = await createPersonInvite(system.runtime.context({ kind: 'system', name: 'test' }), {
    merchantId,
    email: address,
    role: 'owner',
  });
  const { page: owner, reports } = await visit();
  await signUpBy(owner, url, 'Grace Holt');
  await addPasskey(owner, address);
  const financeAddress = newAddress('finance');
  await owner.goto('/console/settings/people');
  await owner.getByLabel('Email address').fill(financeAddress);
  await owner.getByLabel('Finance', { exact: true }).check();
  await press(owner, 'Send the invite');
  await owner.getByText(`${financeAddress} gets a link`).waitFor();

  const { page: finance, reports: financeReports } = await visit();
  await signUpBy(finance, await mailWith(financeAddress, /http:\S+token=\S+/), 'Edsger Kay');
  const threshold = { payoutApprovalThreshold: { usd: 1_000 } };
  expect((await system.call('PATCH', '/merchant', { key, body: threshold })).status).toBe(200);
  await finance.goto('/console/pay');
  await finance.getByLabel('Name of the payout run').fill('January');
  await press(finance, 'Draft payout run');
  await heading(finance, 'January Draft');
  const confirm = `Confirm $11,880.00 to ${PAYEES - 3} affiliates`;
  await finance.getByRole('link', { name: confirm }).click();
  await press(finance, confirm);
  await heading(finance, 'January Awaiting approval');

  const runUrl = finance.url();
  await forgetProof(system, { personId: await personWith(address) });
  await owner.goto('/console');
  await owner
    .getByRole('row', { name: /January/ })
    .getByRole('link', { name: 'Approve' })
    .click();
  await heading(owner, 'January Awaiting approval');
  await owner.getByRole('link', { name: 'Approve', exact: true }).click();
  await press(owner, 'Approve');
  await heading(owner, 'Confirm that it is you');
  await usePasskey(owner);
  await heading(owner, 'Confirmed');
  await press(owner, 'Continue');
  await owner.getByText('Approved. The payout run has started.').waitFor();
  await until(
    'the page shows the run as completed',
    async () => {
      await finance.goto(runUrl);
      return finance.getByRole('heading', { level: 1 }).textContent();
    },
    (text) => text?.includes('Completed') === true,
  );
  const why = finance.getByRole('table', { name: 'Not paid, by reason' });
  expect((await why.getByRole('row').allTextContents()).slice(1).sort()).toEqual([
    'Below the minimum payout1$2.00',
    "The affiliate hasn't entered payout details1$40.00",
    "The payment provider can't pay this currency, country, amount or account1$40.00",
    'The payment provider rejected it1$40.00',
  ]);
  const executed = (await system.sandbox.transfers()).map(({ executedCount }) => executedCount);
  expect([executed.filter((times) => times === 1).length, executed.filter((times) => times > 1)]).toEqual([PAYEES - 4, []]);
  expect([...reports, ...financeReports]).toEqual([]);
  await owner.context().close();
  await finance.context().close();
});
