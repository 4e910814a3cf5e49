import { randomUUID } from 'node:crypto';
import { PAGES } from '../../src/console/pages/index.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { createRunPayouts } from '../../src/domains/payout-runs/index.ts';
import { actingFor, hiddenFields, makeMerchantActing, pageProblems, SCRIPT_TEXT, useConsole } from '../support/console.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram, sendSale } from '../support/factories.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { makeManualPayout } from '../support/payouts.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;

const signInFor = (merchant: { merchantId: string; keyId: string }, scopes = SCOPES_OF.merchant) => ({
  session: sessions.open({ merchant: actingFor(merchant, scopes) }),
});

type By = { session: string };
type Sent = Record<string, string | string[]>;

/** Sends a form of a page, as a browser that has opened it. */
const send = async (url: string, form: string, fields: Sent, by: By) => {
  const { html } = await pages.get(url, by);
  const { idempotencyKey = '', items = '', total = '', digest = '' } = hiddenFields(html);
  const seen = { items, digest, total: total.replaceAll('&quot;', '"') };
  return pages.post(url, { ...seen, sentForm: form, idempotencyKey, ...fields }, by);
};

const payees = () => makePayees(api, [{ amount: 40_000 }, { amount: 20_000 }, { amount: 1_000 }]);

test('who is owed what is shown with why not, and a run of some is drafted', async () => {
  const of = await payees();
  const by = signInFor(of);
  const [first, , little] = of.payees;
  const { html } = await pages.get('/console/pay', by);
  expect(html).toMatch(/\$80\.00.*Can be paid/s);
  expect(html).toContain('Below the minimum payout');
  const affiliateIds = [first?.affiliateId ?? '', little?.affiliateId ?? ''];
  const drafted = await send('/console/pay', 'draft', { affiliateIds, name: 'January' }, by);
  expect(drafted.location).toMatch(/^\/console\/pay\/runs\/[0-9a-f-]{36}$/);
  const run = await pages.get(drafted.location ?? '', by);
  expect(run.html).toContain('Confirm $80.00 to 1 affiliate<');
  expect(run.html).toContain('?result=left_out&amp;reason=BELOW_THRESHOLD');
  const listed = await pages.get(`${drafted.location}?result=left_out&reason=BELOW_THRESHOLD`, by);
  expect(listed.html).toContain(little?.code);
  expect(listed.html).not.toContain(first?.code);
  const second = await send('/console/pay', 'draft', {}, by);
  expect(second.status).toBe(409);
  expect(second.html).toMatch(/January<\/bdi><\/a>: Draft.*role="alert"/s);
});

test('who was chosen stays chosen when the form is shown again, also who is on another page of the list', async () => {
  const of = await payees();
  const by = signInFor(of);
  const [first, second] = of.payees;
  const elsewhere = randomUUID();
  const fields = { affiliateIds: [first?.affiliateId ?? '', elsewhere], name: 'n'.repeat(101) };
  const { status, html } = await send('/console/pay', 'draft', fields, by);
  expect(status).toBe(422);
  expect(html).toMatch(new RegExp(`type="checkbox"[^>]* value="${first?.affiliateId}" checked`));
  expect(html).toMatch(new RegExp(`type="checkbox"[^>]* value="${second?.affiliateId}">`));
  expect(html).toContain(`<input type="hidden" name="affiliateIds" value="${elsewhere}">`);
  expect(html).toContain('1 selected affiliate on other pages');
});

test('a run is confirmed with the figures that were seen, and never with others', async () => {
  const of = await payees();
  const by = signInFor(of);
  const { runId } = await draftRun(api, of);
  const url = `/console/pay/runs/${runId}`;
  const seen = hiddenFields((await pages.get(url, by)).html);
  await send(url, 'takeOut', { affiliateIds: [of.payees[1]?.affiliateId ?? ''] }, by);
  const total = (seen['total'] ?? '').replaceAll('&quot;', '"');
  const fields = { sentForm: 'confirm', items: seen['items'] ?? '', total, idempotencyKey: seen['idempotencyKey'] ?? '' };
  const changed = await pages.post(url, fields, by);
  expect(changed.status).toBe(409);
  expect(changed.html).toContain('Confirm $80.00 to 1 affiliate<');
  expect(hiddenFields(changed.html)).toMatchObject({ items: '1', total: '{&quot;usd&quot;:8000}' });
  expect((await send(url, 'confirm', {}, by)).status).toBe(303);
  expect((await pages.get(url, by)).html).toMatch(/badge neutral">Running<.*id="progress" hx-get/s);
});

test('several are removed at once, and sending it twice changes nothing more', async () => {
  const of = await payees();
  const by = signInFor(of);
  const run = await draftRun(api, of);
  const url = `/console/pay/runs/${run.runId}`;
  const { idempotencyKey = '' } = hiddenFields((await pages.get(url, by)).html);
  const affiliateIds = of.payees.slice(0, 2).map(({ affiliateId }) => affiliateId);
  const fields = { sentForm: 'takeOut', idempotencyKey, affiliateIds };
  const [once, twice] = [await pages.post(url, fields, by), await pages.post(url, fields, by)];
  expect([once.status, twice.status]).toEqual([303, 303]);
  expect((await run.read()).items).toBe(0);
  expect((await pages.get(url, by)).html).not.toContain('value="confirm"');
});

test('a run is paused, resumed and cancelled, and what is too late is told in words of the API', async () => {
  const of = await payees();
  const by = signInFor(of);
  const run = await draftRun(api, of);
  await run.confirm();
  const url = `/console/pay/runs/${run.runId}`;
  expect((await send(url, 'pause', {}, by)).status).toBe(303);
  expect((await pages.get(url, by)).html).toContain('Paused since');
  expect((await send(url, 'resume', {}, by)).status).toBe(303);
  expect((await send(url, 'cancel', {}, by)).status).toBe(303);
  expect((await pages.get(url, by)).html).toContain('Someone cancelled it. No further payouts are created.');
  const late = await send(url, 'pause', {}, by);
  expect({ status: late.status, told: late.html.includes('role="alert"') }).toEqual({ status: 409, told: true });
  const { status, location = '' } = await pages.get(`${url}/export`, by);
  expect({ status, path: location.split('?')[0] }).toEqual({ status: 303, path: expect.stringMatching(/^\/files\/exports\//) });
});

test('payouts of a run are begun, read as a file, and marked by hand or from a file', async () => {
  const of = await payees();
  const by = signInFor(of);
  const run = await draftRun(api, of);
  await run.confirm();
  await createRunPayouts(api.runtime.context({ kind: 'system', name: 'payoutRun' }), { runId: run.runId });
  const url = `/console/pay/runs/${run.runId}`;
  expect((await pages.get(url, by)).html).toContain('2 to start, 0 in progress.');
  expect((await send(url, 'files', { format: 'paypal' }, by)).html).toContain(
    'No manual payouts of this payout run are in progress.',
  );
  expect((await send(url, 'process', {}, by)).html).toContain('2 updated');
  const file = await send(url, 'files', { format: 'csv' }, by);
  expect(file.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': expect.stringMatching(/^attachment; filename="[\w.-]+\.csv"$/),
    'cache-control': 'no-store',
  });
  expect(file.html).toMatch(/^\uFEFFpayoutId,.*ok\+/s);
  const [first, second] = (await run.itemsOf()).filter(({ payoutId }: { payoutId: string | null }) => payoutId);
  const csv = `payoutId,bankReference,result\n${first.payoutId},E2E-1,paid\n${randomUUID()},E2E-2,paid\n`;
  const report = await send(url, 'results', { pasted: csv }, by);
  expect(report.html).toContain('1 updated, 0 already up to date, 1 refused');
  const wrong = await send(url, 'complete', { items: '5' }, by);
  expect(wrong.status).toBe(409);
  expect((await send(url, 'complete', { note: 'All of them' }, by)).html).toContain('1 updated');
  expect((await api.call('GET', `/payouts/${second.payoutId}`, { key: of.key })).data.status).toBe('completed');
});

test('the inbox of payouts by hand records many at once, each with its own reference', async () => {
  const first = await makeManualPayout(api);
  const { merchantId, keyId, key } = first;
  const second = await makeManualPayout(api, { merchant: { merchantId, keyId, key } });
  const by = signInFor(first);
  const url = '/console/pay/by-hand';
  const rows = [first.payoutId, second.payoutId];
  expect((await send(url, 'record', { payoutIds: rows, done: 'process' }, by)).status).toBe(303);
  const paid = { payoutIds: [second.payoutId], rows, references: ['', ' E2E-9 '], done: 'complete' };
  expect((await send(url, 'record', paid, by)).status).toBe(303);
  expect(await second.read()).toMatchObject({ status: 'completed', bankReference: 'E2E-9' });
  expect((await pages.get(url, by)).html).not.toContain(second.payoutId);
  const mixed = await send(url, 'record', { payoutIds: rows, rows, references: ['', ''], done: 'fail' }, by);
  expect(mixed.status).toBe(303);
  const told = await pages.get(url, { ...by, cookies: { flash: mixed.cookies['flash'] ?? '' } });
  expect(told.html).toMatch(/notice bad">.*1 recorded, 1 refused: /s);
  expect((await first.read()).status).toBe('failed');
  expect((await send(url, 'record', { done: 'fail' }, by)).status).toBe(303);
  expect((await send(url, 'record', { payoutIds: rows, done: 'burn' }, by)).status).toBe(422);
});

test('who was chosen by hand and their references are kept when the form is shown again', async () => {
  const of = await makeManualPayout(api);
  const by = signInFor(of);
  const fields = { payoutIds: [of.payoutId], rows: [randomUUID(), of.payoutId], references: ['OTHER', 'KEPT'], done: '' };
  const { status, html } = await send('/console/pay/by-hand', 'record', fields, by);
  expect(status).toBe(422);
  expect(html).toMatch(new RegExp(`name="payoutIds" value="${of.payoutId}"[^>]* checked`));
  expect(html).toMatch(/name="references" value="KEPT"/);
});

test('the inbox says when there are more payouts than it reads', async () => {
  const of = await makePayees(
    api,
    Array.from({ length: 101 }, () => ({ amount: 20_000, local: { holder: 'Ada' } })),
  );
  const by = signInFor(of);
  const run = await draftRun(api, of);
  await run.confirm();
  const shown = async () => {
    const { html } = await pages.get('/console/pay/by-hand', by);
    return [html.match(/name="payoutIds"/g)?.length, html.includes('Older ones appear')];
  };
  await createRunPayouts(api.runtime.context({ kind: 'system', name: 'payoutRun' }), { runId: run.runId });
  expect(await shown()).toEqual([100, true]);
  const [payout] = (await api.call('GET', '/payouts', { key: of.key })).data;
  expect((await api.call('POST', `/payouts/${payout.id}/cancel`, { key: of.key })).status).toBe(200);
  expect(await shown()).toEqual([100, false]);
});

test('home shows where the money is and what waits, and first steps until the first sale', async () => {
  const empty = await makeMerchantActing(pages);
  const before = await pages.get('/console', { session: sessions.open({ merchant: empty }) });
  expect(before.html).toMatch(/First steps: 0 of 6.*You&#39;re all caught up/s);
  const payout = await makeManualPayout(api);
  const by = signInFor(payout);
  const { html } = await pages.get('/console', by);
  expect(html).not.toContain('First steps');
  expect(html).toMatch(/Not started<\/a><\/span><strong>\$20\.00.*Manual payouts.*1 payout</s);
  await makeKey(api.runtime, { ownerId: payout.merchantId });
  const { affiliateId, code } = await makeAffiliate(api.runtime, payout.programId);
  await sendSale(api, payout.program, { referralCode: code, amount: 40_000 });
  const body = { payoutApprovalThreshold: { usd: 1_000 } };
  await api.call('PATCH', '/merchant', { key: payout.key, body });
  const { programId, key } = payout;
  const { id } = (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  const waits = await pages.get('/console', by);
  expect(waits.html).toMatch(new RegExp(`href="/console/payouts/${id}">Awaiting approval</a>.*\\$80\\.00`, 's'));
  const nothing = await pages.get('/console', signInFor(payout, []));
  expect({ status: nothing.status, money: nothing.html.includes('$20.00') }).toEqual({ status: 200, money: false });
});

test('nothing of one merchant is shown to another, or changed by another', async () => {
  const of = await payees();
  const run = await draftRun(api, of);
  const other = { session: sessions.open({ merchant: await makeMerchantActing(pages) }) };
  const opened: Record<string, number> = {};
  const url = `/console/pay/runs/${run.runId}`;
  const page = PAGES.find(({ path }) => path === '/console/pay/runs/{id}');
  const fields = {
    items: '2',
    total: '{"usd":12000}',
    affiliateIds: of.payees[0]?.affiliateId ?? '',
    format: 'csv',
    pasted: 'payoutId',
  };
  // Which columns somebody sees is theirs alone.
  for (const form of Object.keys(page?.forms ?? {}).filter((name) => name !== 'columns'))
    opened[form] = (await pages.post(url, { sentForm: form, ...fields }, other)).status;
  for (const path of [url, `${url}/export`]) opened[path] = (await pages.get(path, other)).status;
  expect(Object.entries(opened).filter(([, status]) => status !== 403 && status !== 404)).toEqual([]);
  for (const path of ['/console', '/console/pay', '/console/pay/runs'])
    expect((await pages.get(path, other)).html).not.toMatch(new RegExp(`${run.runId}|${of.payees[0]?.code}`));
  expect(await run.read()).toMatchObject({ status: 'draft', items: 2 });
});

test('script text in names comes out as text', async () => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, { name: SCRIPT_TEXT.slice(0, 100) });
  const { code } = await makeAffiliate(api.runtime, program.programId);
  await sendSale(api, program, { referralCode: code });
  const by = signInFor(merchant);
  const drafted = await send('/console/pay', 'draft', { name: SCRIPT_TEXT.slice(0, 100) }, by);
  expect(drafted.status).toBe(303);
  for (const path of ['/console', '/console/pay', '/console/pay/runs', drafted.location ?? '']) {
    const { html } = await pages.get(path, by);
    expect(html).toContain('&lt;script&gt;');
    expect(pageProblems(html)).toEqual([]);
  }
});
