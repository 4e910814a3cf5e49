import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { PAGES } from '../../src/console/pages/index.ts';
import { createRunPayouts } from '../../src/domains/payout-runs/index.ts';
import type { BankMessage } from '../../src/local/bank-double/bank.ts';
import { type Entry, writeStatementMessage } from '../../src/local/bank-double/messages.ts';
import { DAY, makeBankPayouts } from '../api/bank-files/support.ts';
import { actingFor, makeMerchantActing, pageProblems, useConsole } from '../support/console.ts';
import { makeKey } from '../support/factories.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { DEBTOR_IBAN } from '../support/rails/sepa-bank.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const site = useBrowserOn(api);
const LIST = '/console/pay/bank-files';

/** Bank payouts of a merchant for whom a person of finance is signed in. */
const makeFinance = async (holders: readonly string[], more: Parameters<typeof makeBankPayouts>[2] = {}) => {
  const payouts = await makeBankPayouts(api, holders, more);
  const { merchantId } = payouts;
  const open = async () => {
    const { keyId } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read', 'payouts:write'] });
    return sessions.open({ merchant: actingFor({ merchantId, keyId }) });
  };
  return { ...payouts, session: await open(), another: open };
};

const SHOTS = process.env['PAGE_SHOTS'];
const shoot = async (name: string, page: Page): Promise<void> => {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
};

const textOf = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? '';
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

const download = async (page: Page, name: string): Promise<string> => {
  const saved = page.waitForEvent('download');
  await press(page, name);
  return readFile(await (await saved).path(), 'utf8');
};

const upload = async (page: Page, { name, bytes }: BankMessage): Promise<string> => {
  await page.goto(LIST);
  await page.getByLabel('File from your bank').setInputFiles({ name, mimeType: 'application/xml', buffer: bytes });
  await press(page, 'Upload');
  await page.getByRole('link', { name: 'Back to bank files' }).waitFor();
  return textOf(page);
};

/** A booking with the pattern of our ids, which no payout has. */
const strangeStatement = (): BankMessage => {
  const endToEndId = '0198F1C2C3D47A118B223C4D5E6F7A91-1';
  const entry: Entry = { ref: 'B-4711', amount: '12.34', direction: 'DBIT', on: DAY, parts: [{ endToEndId, amount: '12.34' }] };
  const message = { id: 'N-1', at: new Date(`${DAY}T10:00:00Z`), iban: DEBTOR_IBAN, from: DAY, to: DAY, entries: [entry] };
  return { name: 'camt.054.xml', bytes: writeStatementMessage('054', '08', message) };
};

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (how, javaScriptEnabled) => {
  it('finance makes a file, brings it to the bank, and sees what the bank paid and what it refused', async () => {
    const { session, bank } = await makeFinance(['Ada Lovelace', 'Zoë Müller', 'ERRAC04RJCT Bob']);
    const shot = (name: string) => shoot(`journey-${how.replace(' ', '-')}-${name}`, page);
    const cookies = { tributary_session_3000: session };
    const { page, reports } = await openVisitor({ ...site, cookies, more: { javaScriptEnabled } });
    await page.goto(LIST);
    expect(await textOf(page)).toContain('3 payouts are waiting for a bank file: €60.00');
    await shot('1-list');
    await page.getByRole('link', { name: 'Make bank file' }).click();
    await page.getByRole('heading', { level: 1, name: 'New bank file' }).waitFor();
    expect(await textOf(page)).toMatch(/Zoë Müller.*Zoe Mueller/s);
    await shot('2-new');
    await press(page, 'Make bank file');
    await page.getByText('The bank file is ready to download.').waitFor();
    const address = page.url();
    await shot('3-file');
    const first = await download(page, 'Download');
    await page.goto(address);
    expect(await download(page, 'Download again')).toBe(first);

    const [received] = bank.receive(Buffer.from(first));
    const name = /<MsgId>(.*?)<\/MsgId>/.exec(first)?.[1] ?? '';
    const [status] = bank.execute(name, DAY);
    const statement = bank.statement(DEBTOR_IBAN, DAY, DAY);
    if (!received || !status) throw new Error('the bank said nothing');
    await upload(page, received);
    expect(await upload(page, status)).toContain('1 rejected, 2 accepted');
    await shot('4-status');
    expect(await upload(page, statement)).toContain('2 paid');
    await shot('5-statement');
    expect(await upload(page, statement)).toContain('Nothing changed. It said then: 2 paid');
    await shot('6-again');
    const strange = await upload(page, strangeStatement());
    expect(strange).toContain('A payment that no bank file here has');
    await shot('7-strange');

    await page.goto(address);
    await page.getByRole('heading', { level: 1, name: `${name}.xml Done` }).waitFor();
    const shown = await textOf(page);
    expect(shown).toContain("The payee's account is closed (AC04)");
    expect(shown.match(/Downloaded/g)).toHaveLength(2);
    await shot('8-done');
    await page.goto(`${LIST}/bookings`);
    expect(await textOf(page)).toMatch(/−€12\.34.*B-4711/s);
    await shot('9-bookings');
    expect(reports).toEqual([]);
    await page.context().close();
  });
});

test('a downloaded file is discarded by whoever types its name, and the page says who is paid again', async () => {
  const { session, make, content, states } = await makeFinance(['Ada A', 'Bob B']);
  const [file] = (await make()).data.files;
  await content(file.id);
  const at = `${LIST}/${file.id}`;
  const asked = await pages.get(`${at}?do=discard`, { session });
  expect(asked.html).toContain('€40.00 to 2 affiliates');
  const discard = (fields: Record<string, string>) => pages.post(at, { sentForm: 'discard', ...fields }, { session });
  const refused = await discard({ note: 'Wrong day', fileName: 'other.xml' });
  expect([refused.status, refused.html]).toEqual([422, expect.stringContaining(`must be the name of the file, ${file.name}`)]);
  expect(await states()).toEqual(['at_bank', 'at_bank']);
  expect((await discard({ note: 'Wrong day', fileName: file.name })).status).toBe(303);
  expect(await states()).toEqual(['failed', 'failed']);
  const { html } = await pages.get(at, { session });
  expect(html).toContain('No bank executes it. Its amounts are payable again.');
});

test('where approvals are on, whoever downloaded a file sees that someone else has to discard it', async () => {
  const { merchantId, make, content, another, key } = await makeFinance(['Ada A']);
  await rowsOf(api, `update merchant set payout_approval_threshold = '{"eur": 1000000}' where id = ?`, [merchantId]);
  const [own] = await rowsOf(api, `select created_by from payout where merchant_id = ?`, [merchantId]);
  const keyId = String(own?.['created_by']).slice('key:'.length);
  const maker = sessions.open({ merchant: actingFor({ merchantId, keyId }) });
  const second = await another();
  const [file] = (await make()).data.files;
  await content(file.id);
  const at = `${LIST}/${file.id}`;
  expect((await pages.get(at, { session: maker })).html).not.toContain('do=discard');
  const shown = await pages.get(at, { session: second });
  expect(shown.html).toContain('do=discard');
  const sent = await pages.post(at, { sentForm: 'discard', note: 'Cancelled at the bank' }, { session: second });
  expect(sent.status).toBe(303);
  expect((await api.call('GET', `/bank-files/${file.id}`, { key })).data.status).toBe('discarded');
});

test('payees whose names the bank could not match are shown with the name that it suggests, and what to do', async () => {
  const { session, makeAndSend, importAll } = await makeFinance(['VOPRVMC Ada', 'VOPRVNM Bob', 'Cy C'], {
    bank: { verifiesPayees: true },
  });
  const { file, answers } = await makeAndSend();
  await importAll(answers);
  const { html } = await pages.get(`${LIST}/${file.id}`, { session });
  expect(html).toContain('Then authorize the whole file at your bank, or cancel it there and discard it here.');
  expect(html).toMatch(/The name almost matches the account<br>The bank suggests <bdi>VOPRVMC Ada Jr/);
  expect(html).toContain('The name doesn&#39;t match the account');
});

test('the page of a run says what waits for a bank file, once all of its payouts exist', async () => {
  const { merchantId, key } = await makeBankPayouts(api, []);
  await api.call('PATCH', '/merchant', { key, body: { payoutRails: { bank_transfer: 'sepa' } } });
  const of = await makePayees(
    api,
    [{ amount: 40_000, local: { holder: 'Ada A' } }],
    { currency: 'eur' },
    { merchantId, key, keyId: '' },
  );
  const run = await draftRun(api, of);
  await run.confirm();
  const session = sessions.open({ merchant: actingFor({ merchantId, keyId: api.runtime.ids.next() }) });
  const at = `/console/pay/runs/${run.runId}`;
  expect((await pages.get(at, { session })).html).not.toContain('/bank-files/new');
  await createRunPayouts(api.runtime.context({ kind: 'system', name: 'payoutRun' }), { runId: run.runId });
  const { html } = await pages.get(at, { session });
  expect(html).toContain('1 payout is waiting for a bank file');
  expect(html).toContain(`/console/pay/bank-files/new?runId=${run.runId}`);
  const [payout] = await rowsOf(api, 'select id from payout where payout_run_id = ?', [run.runId]);
  expect((await pages.get(`/console/payouts/${payout?.['id']}`, { session })).html).toContain(`new?payoutId=${payout?.['id']}`);
  const made = await pages.post('/console/pay/bank-files/new', { sentForm: 'make', runId: run.runId, payoutId: '' }, { session });
  expect([made.status, made.location]).toEqual([303, expect.stringMatching(/^\/console\/pay\/bank-files\/[0-9a-f-]{36}$/)]);
});

test('a day on which banks do not settle is refused beside its field, and the form keeps what it is for', async () => {
  const { session, payoutIds } = await makeFinance(['Ada A', 'Bob B']);
  const fields = { sentForm: 'make', payoutId: payoutIds[0] ?? '', runId: '', executionDate: '2026-12-25' };
  const { status, html } = await pages.post('/console/pay/bank-files/new', fields, { session });
  expect(status).toBe(422);
  expect(html).toContain('Execution date is a day on which banks do not settle; the next one is 2026-12-28');
  expect(html).toMatch(/<dt>Payments<\/dt><dd>1<\/dd>/);
});

test('what is no file of a bank, and a file above 10 MiB, is refused in words', async () => {
  const { session, another } = await makeFinance(['Ada A']);
  const post = async (bytes: Uint8Array, by: string) => {
    const form = new FormData();
    form.append('sentForm', 'importStatement');
    form.append('bankFile', new Blob([new Uint8Array(bytes)]), 'a.xml');
    const request = new Response(form);
    return api.app.inject({
      method: 'POST',
      url: LIST,
      headers: {
        host: 'localhost:3000',
        cookie: `tributary_session_3000=${by}`,
        'sec-fetch-site': 'same-origin',
        'content-type': request.headers.get('content-type') ?? '',
      },
      payload: Buffer.from(await request.arrayBuffer()),
    });
  };
  const wrong = await post(Buffer.from('payoutId,result\n'), session);
  expect([wrong.statusCode, wrong.body]).toEqual([422, expect.stringContaining('File from your bank ')]);
  const nothing = await post(new Uint8Array(), session);
  expect([nothing.statusCode, pageProblems(nothing.body)]).toEqual([422, []]);
  const large = await post(Buffer.alloc(10 * 1024 * 1024 - 10, 0x20), await another());
  expect(large.statusCode).toBe(422);
  const dense = await post(randomBytes(2 * 1024 * 1024), await another());
  expect([dense.statusCode, dense.body]).toEqual([422, expect.stringContaining('is too large, even when compressed')]);
  const above = await post(Buffer.alloc(10 * 1024 * 1024 + 10, 0x20), await another());
  expect([above.statusCode, above.body]).toEqual([422, expect.stringContaining('must have at most 10 MiB')]);
  const tooLarge = await post(Buffer.alloc(11 * 1024 * 1024, 0x20), session);
  expect([tooLarge.statusCode, pageProblems(tooLarge.body)]).toEqual([400, []]);
});

test('pages of bank files are accessible, narrow enough and small, in every state', async () => {
  const { session, make, content, importAll, bank } = await makeFinance(['Ada A', 'Zoë Müller', 'ERRAC04RJCT Bob', 'Cy C']);
  const { data } = await make();
  const { id, messageId } = data.files[0];
  const cookies = { tributary_session_3000: session };
  const problemsOf = async (paths: readonly string[], name: string): Promise<string[]> => {
    const found: string[] = [];
    for (const path of paths)
      found.push(...(await shownProblems({ ...site, cookies }, path, (shot, page) => shoot(`${name}${shot}`, page))));
    return found;
  };
  const fresh = await problemsOf([LIST, `${LIST}/${id}`, `${LIST}/${id}?do=discard`], 'fresh');
  bank.receive(Buffer.from(await content(id)));
  await importAll([...bank.execute(messageId, DAY), bank.statement(DEBTOR_IBAN, DAY, DAY), strangeStatement()]);
  const done = await problemsOf([LIST, `${LIST}/${id}`, `${LIST}/bookings`, `${LIST}/new`], 'done');
  expect([...fresh, ...done]).toEqual([]);
});

test('whoever only reads payouts sees where a file is, and neither its payees nor a button', async () => {
  const { merchantId, make } = await makeFinance(['Ada Lovelace']);
  const [file] = (await make()).data.files;
  const { keyId } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  const session = sessions.open({ merchant: actingFor({ merchantId, keyId }, ['payouts:read']) });
  const { html } = await pages.get(`${LIST}/${file.id}`, { session });
  expect(html).toContain('Made with 1 payout');
  for (const hidden of ['Ada Lovelace', 'Download<', 'do=discard']) expect(html).not.toContain(hidden);
  expect((await pages.get(LIST, { session })).html).not.toContain('type="file"');
});

test('empty pages say what to do', async () => {
  const nobody = await makeMerchantActing(pages);
  const session = sessions.open({ merchant: nobody });
  expect((await pages.get(LIST, { session })).html).toContain('Connect your bank account first');
  expect((await pages.get(`${LIST}/new`, { session })).html).toContain('Go to Payout accounts');
  expect((await pages.get(`${LIST}/bookings`, { session })).html).toContain('Every booking was matched');
  const { session: connected } = await makeFinance([]);
  expect((await pages.get(`${LIST}/new`, { session: connected })).html).toContain('No payouts are waiting for a bank file');
});
