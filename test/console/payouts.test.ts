import { randomUUID } from 'node:crypto';
import { PAGES } from '../../src/console/pages/index.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { makeApprovals } from '../support/approvals.ts';
import { actingFor, hiddenFields, makeMerchantActing, pageProblems, SCRIPT_TEXT, useConsole } from '../support/console.ts';
import { makeManualPayout, makePayout } from '../support/payouts.ts';

const pages = useConsole(PAGES, { TEMPORAL_UI_URL: 'https://temporal.example' });
const { api, sessions } = pages;

const signInFor = (merchant: { merchantId: string; keyId: string }, scopes = SCOPES_OF.merchant) => ({
  session: sessions.open({ merchant: actingFor(merchant, scopes) }),
});

/** Sends a form of the case file, as a browser that has opened it. */
const send = async (url: string, form: string, fields: Record<string, string>, by: { session: string }) => {
  const { html } = await pages.get(url, by);
  const { idempotencyKey = '' } = hiddenFields(html);
  return pages.post(url, { sentForm: form, idempotencyKey, ...fields }, by);
};

test('the list shows payouts with their state, filters in its address, and says what to do when it is empty', async () => {
  const payout = await makeManualPayout(api);
  const by = signInFor(payout);
  const { html } = await pages.get('/console/payouts', by);
  expect(html).toContain(`href="/console/payouts/${payout.payoutId}"`);
  expect(html).toContain('badge warning">To pay<');
  expect(html).toContain('$20.00');
  const none = await pages.get('/console/payouts?status=failed&q=', by);
  expect(none.html).toContain('No payouts match these filters');
  const some = await pages.get('/console/payouts?status=pending&q=', by);
  expect(some.html).toContain('href="/console/payouts/export?status=pending"');
  const lost = await pages.get('/console/payouts?status=lost', by);
  expect({ status: lost.status, told: lost.html.includes('Clear filters') }).toEqual({ status: 400, told: true });
  const nobody = await makeMerchantActing(pages);
  const empty = await pages.get('/console/payouts', { session: sessions.open({ merchant: nobody }) });
  expect(empty.html).toMatch(/No payouts yet.*Draft a payout run/s);
});

test('the next page is reached by a cursor that keeps the filters', async () => {
  const { merchantId, keyId, key } = await makeManualPayout(api);
  await makeManualPayout(api, { merchant: { merchantId, keyId, key } });
  const by = signInFor({ merchantId, keyId });
  const { html } = await pages.get('/console/payouts?status=pending&limit=1', by);
  const [, next = ''] = /href="([^"]*cursor=[^"]*)" rel="next"/.exec(html) ?? [];
  expect(next).toContain('status=pending');
  const second = await pages.get(next.replaceAll('&amp;', '&'), by);
  expect(second.html).not.toContain('rel="next"');
  const [, back = ''] = /href="([^"]*)" rel="prev"/.exec(second.html) ?? [];
  expect(back.replaceAll('&amp;', '&')).toBe('/console/payouts?status=pending&limit=1');
});

test('the list is exported with its filters', async () => {
  const payout = await makeManualPayout(api);
  const by = signInFor(payout);
  const { status, location = '' } = await pages.get('/console/payouts/export?status=pending', by);
  expect({ status, path: location.split('?')[0] }).toEqual({ status: 303, path: '/files/exports/payouts.csv' });
  expect((await pages.get(location)).html).toContain(payout.payoutId);
});

test('a manual payout goes its whole way on its case file', async () => {
  const payout = await makeManualPayout(api);
  const url = `/console/payouts/${payout.payoutId}`;
  const by = signInFor(payout);
  const { html } = await pages.get(url, by);
  expect(pageProblems(html)).toEqual([]);
  expect(html).toContain('Choose “Mark as in progress”. From then on, the payout can&#39;t be cancelled.');
  expect(html).toContain(
    `href="https://temporal.example/namespaces/tributary/workflows/${encodeURIComponent(`payout/${payout.payoutId}`)}"`,
  );
  expect(html).toContain(payout.saleId);
  expect(await send(url, 'process', {}, by)).toMatchObject({ status: 303, location: url });
  const clear = await send(url, 'instructions', {}, by);
  expect(clear.html).toContain('DE89370400440532013000');
  expect((await pages.get(url, by)).html).not.toContain('DE89370400440532013000');
  expect((await pages.get(url, by)).html).toContain('Payment instructions viewed');
  const wrong = await send(url, 'complete', { executedOn: '2026-13-01' }, by);
  expect(wrong.status).toBe(422);
  expect(wrong.html).toContain('href="#complete-executedOn">Paid on must be');
  const done = await send(url, 'complete', { bankReference: 'E2E-77', executedOn: new Date().toISOString().slice(0, 10) }, by);
  expect(done).toMatchObject({ status: 303, location: url });
  expect(await payout.read()).toMatchObject({ status: 'completed', bankReference: 'E2E-77' });
  const paid = await pages.get(url, by);
  expect(paid.html).toMatch(/Payout statement.*The affiliate has the money\..*E2E-77/s);
  const back = await send(url, 'comeBack', { note: 'Account closed' }, by);
  expect(back.status).toBe(303);
  expect((await pages.get(url, by)).html).toMatch(
    /badge bad">Returned<.*Choose “Retry”, or leave the amount to the next payout run/s,
  );
  const retried = await send(url, 'retry', {}, by);
  expect(retried.location).toMatch(/^\/console\/payouts\/[0-9a-f-]{36}$/);
  expect((await pages.get(retried.location ?? '', by)).html).toContain(`href="${url}"`);
});

test('what is refused is told in the words of the page, where the person looks', async () => {
  const { payoutId, ...payout } = await makeManualPayout(api);
  const url = `/console/payouts/${payoutId}`;
  const by = signInFor(payout);
  await payout.act('process');
  const { status, html } = await send(url, 'cancel', {}, by);
  expect(status).toBe(409);
  expect(html).toMatch(
    /<h1[^>]*>Cancel this payout\?.*role="alert".*The payment has already started, so the payout can&#39;t be cancelled anymore/s,
  );
  expect(html).toContain(`href="${url}">Back</a>`);
});

test('the one who created a payout cannot approve it, and a second one can', async () => {
  const made = await makeApprovals(api, { amount: 40_000 });
  const { id } = (await made.pay()).data;
  const url = `/console/payouts/${id}`;
  const [creator, second] = [signInFor(made), signInFor({ merchantId: made.merchantId, keyId: made.otherKeyId })];
  expect((await pages.get(url, second)).html).toContain('Check the amount and the payee, then choose “Approve” or “Reject”.');
  const refused = await send(url, 'approve', {}, creator);
  expect(refused.status).toBe(409);
  expect(refused.html).toContain('Someone else has to approve it');
  expect(refused.html).not.toContain('name="sentForm"');
  const waiting = await pages.get(url, creator);
  expect(waiting.html).toMatch(/class="refused".*Nobody else on your team can approve it.*Someone else has to approve it/s);
  expect(waiting.html).not.toContain('do=approve');
  expect((await send(url, 'approve', {}, second)).status).toBe(303);
  expect((await made.read(id)).approvedAt).not.toBeNull();
  const again = await send(url, 'approve', {}, second);
  expect({ status: again.status, told: again.html.includes('role="alert"') }).toEqual({ status: 409, told: true });
});

test('the sale of an item shows its evidence and the ledger of its commission', async () => {
  const { payoutId, conversionId, saleId, ...payout } = await makePayout(api);
  const by = signInFor(payout);
  const url = `/console/payouts/${payoutId}/sales/${conversionId}`;
  expect((await pages.get(`/console/payouts/${payoutId}`, by)).html).toContain(`href="${url}"`);
  const { html } = await pages.get(url, by);
  expect(html).toMatch(new RegExp(`Sale ${saleId}.*referral code.*payable`, 's'));
  const reader = signInFor(payout, ['payouts:read']);
  expect((await pages.get(`/console/payouts/${payoutId}`, reader)).html).not.toContain(`href="${url}"`);
});

test('who only reads sees no button', async () => {
  const { payoutId, ...payout } = await makeManualPayout(api);
  const reader = signInFor(payout, ['payouts:read']);
  const { html } = await pages.get(`/console/payouts/${payoutId}`, reader);
  expect(html).toContain('Choose “Mark as in progress”. From then on');
  expect(html).not.toContain('name="sentForm"');
});

test('nothing of one merchant is shown to another, or changed by another', async () => {
  const { payoutId, conversionId, ...payout } = await makeManualPayout(api);
  const other = { session: sessions.open({ merchant: await makeMerchantActing(pages) }) };
  const ids: Record<string, string> = { id: payoutId, conversionId };
  const opened: Record<string, number> = {};
  for (const { path, view, forms, audience } of PAGES) {
    // Public pages show to everybody what they show.
    if (!path.includes('{') || audience === 'public') continue;
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
    if (view) opened[`GET ${path}`] = (await pages.get(url, other)).status;
    // Which columns somebody sees is theirs alone.
    for (const form of Object.keys(forms).filter((name) => name !== 'columns')) {
      const fields = {
        sentForm: form,
        note: 'mine',
        outcome: 'paid',
        affiliateIds: randomUUID(),
        format: 'csv',
        csv: 'payoutId',
      };
      opened[`${form} ${path}`] = (await pages.post(url, fields, other)).status;
    }
  }
  expect(Object.entries(opened).filter(([, status]) => status !== 403 && status !== 404)).toEqual([]);
  expect((await pages.get('/console/payouts', other)).html).not.toContain(payoutId);
  expect((await payout.read()).status).toBe('pending');
});

test('script text in every field comes out as text', async () => {
  const { payoutId, affiliateId, programId, ...payout } = await makeManualPayout(api);
  const by = signInFor(payout);
  const url = `/console/payouts/${payoutId}`;
  await send(url, 'process', {}, by);
  const text = SCRIPT_TEXT.slice(0, 140);
  expect((await send(url, 'complete', { bankReference: text, note: SCRIPT_TEXT }, by)).status).toBe(303);
  const { html } = await pages.get(url, by);
  expect(html).toContain('&lt;script&gt;');
  expect(pageProblems(html)).toEqual([]);
  const listed = await pages.get(`/console/payouts?q=${encodeURIComponent(text)}`, by);
  expect(pageProblems(listed.html)).toEqual([]);
  expect(programId).not.toBe(affiliateId);
});
