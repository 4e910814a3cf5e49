import { PAGES } from '../../src/console/pages/index.ts';
import type { ActingAs } from '../../src/console/sessions.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { createSignInLink } from '../../src/domains/people/index.ts';
import { emailOf, mailsAbout } from '../domains/notifications/support.ts';
import {
  hiddenFields,
  makeAffiliateActing,
  makeMerchantActing,
  pageProblems,
  SCRIPT_TEXT,
  useConsole,
} from '../support/console.ts';
import { makeKey, makeMerchant, makePayable, makeProgram } from '../support/factories.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { makePayout } from '../support/payouts.ts';
import { callAs, signedIn, tokenIn } from '../support/people.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const SYSTEM = { kind: 'system', name: 'test' } as const;
const site = useBrowserOn(api);

const actingAs = async (profileId: string): Promise<ActingAs> => {
  const { keyId } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const actor = { kind: 'key', keyId, keyType: 'affiliate', ownerId: profileId, scopes: SCOPES_OF.affiliate } as const;
  return { actor, ownerId: profileId, name: 'Ada Test', perMinute: 1_000 };
};

/** An affiliate who was paid 20.00, and is signed in. */
const makePaid = async () => {
  const payout = await makePayout(api);
  await payout.act('process');
  await payout.act('complete', { bankReference: 'E2E-2026-000078' });
  const affiliate = await actingAs(payout.profileId);
  return { ...payout, session: sessions.open({ affiliate }), german: sessions.open({ affiliate, locale: 'de-DE' }) };
};

const OWN = [
  '/portal',
  '/portal/links',
  '/portal/earnings',
  '/portal/payouts',
  '/portal/details',
  '/portal/programs',
  '/portal/notifications',
  '/portal/keys',
  '/portal/keys/new',
];

test('who has no payout details is told so, unless each company entered some', async () => {
  const open = async (profileId: string) =>
    (await pages.get('/portal', { session: sessions.open({ affiliate: await actingAs(profileId) }) })).html;
  const missing = 'entered where you want to be paid';
  const paid = await makePayable(api);
  expect((await open(paid.profileId)).includes(missing)).toBe(false);
  const unpaid = await makePayable(api, { local: null });
  expect((await open(unpaid.profileId)).includes(missing)).toBe(true);
});

test('an affiliate sees what was earned and paid, with the payout statement, in English and German', async () => {
  const { session, german, payoutId } = await makePaid();
  const shown = await Promise.all(OWN.map((path) => pages.get(path, { session })));
  expect(shown.map(({ status, html }) => [status, pageProblems(html)])).toEqual(OWN.map(() => [200, []]));
  expect(shown[0]?.html).toMatch(/Earned.*\$20\.00.*Next payment/s);
  expect(shown[2]?.html).toMatch(/Commission.*\$20\.00.*Paid/s);
  expect(shown[3]?.html).toContain(`/portal/payouts/${payoutId}/remittance`);
  expect((await pages.get(`/portal/payouts/${payoutId}`, { session })).html).toMatch(/Commission.*\$20\.00/s);
  const { location = '' } = await pages.get(`/portal/payouts/${payoutId}/remittance`, { session });
  expect((await pages.get(location)).html).toContain('E2E-2026-000078');
  expect((await pages.get('/portal', { session: german })).html).toMatch(/Verdient.*20,00/s);
});

test('the overview says what is paid next and when, or why not yet, in English and German', async () => {
  const { key, programId, affiliateId, profileId } = await makePayable(api);
  const affiliate = await actingAs(profileId);
  const [session, german] = [sessions.open({ affiliate }), sessions.open({ affiliate, locale: 'de-DE' })];
  const shown = async (by = session) => (await pages.get('/portal', { session: by })).html;
  expect(await shown()).toMatch(/Next payment.*\$20\.00.*The company starts its payouts itself.*Monthly.*\$10\.00/s);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { autoPayouts: { enabled: true } } });
  expect(await shown()).toMatch(/Next payment.*\$20\.00.*On <time datetime=/s);
  await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { payoutsPaused: true } });
  expect(await shown()).toContain('The company has paused your payouts');
  expect(await shown(german)).toContain('Das Unternehmen hat Ihre Auszahlungen ausgesetzt');
});

test('the overview says until when commissions are in the hold period', async () => {
  const { profileId } = await makePayable(api, { program: { commissionHoldDays: 7 } });
  const { html } = await pages.get('/portal', { session: sessions.open({ affiliate: await actingAs(profileId) }) });
  expect(html).toMatch(/Nothing is payable yet\..*\$20\.00 is in the hold period\. The next part becomes payable on <time/s);
  expect(pageProblems(html)).toEqual([]);
});

test('nothing of one affiliate is shown to another, and people of a merchant have no portal', async () => {
  const { payoutId, programId, code } = await makePaid();
  const other = { session: sessions.open({ affiliate: await makeAffiliateActing(pages) }) };
  for (const path of [`/portal/payouts/${payoutId}`, `/portal/payouts/${payoutId}/remittance`])
    expect((await pages.get(path, other)).status).toBe(403);
  for (const path of [`/portal/links?program=${programId}`, `/portal/earnings?program=${programId}`]) {
    const { status, html } = await pages.get(path, other);
    expect([status, html.includes(code), html.includes('$20.00'), html.includes(programId)]).toEqual([200, false, false, false]);
  }
  const merchant = { session: sessions.open({ merchant: await makeMerchantActing(pages) }) };
  expect(await Promise.all(OWN.map(async (path) => (await pages.get(path, merchant)).status))).toEqual(OWN.map(() => 403));
});

test('IN13: an affiliate changes their code, and sees why not when it is taken', async () => {
  const [{ session, programId, code }, other] = [await makePaid(), await makePaid()];
  const at = `/portal/links?program=${programId}`;
  const send = async (wanted: string) => {
    const { html } = await pages.get(at, { session });
    return pages.post('/portal/links', { ...hiddenFields(html), sentForm: 'changeCode', code: wanted }, { session });
  };
  const taken = await send(other.code);
  expect([taken.status, pageProblems(taken.html), taken.html.includes('already in use')]).toEqual([409, [], true]);
  const wanted = `ada-${programId.slice(-12)}`;
  expect(await send(wanted)).toMatchObject({ status: 303, location: expect.stringContaining('/portal/links') });
  const { html } = await pages.get(at, { session });
  expect([html.includes(wanted), html.includes(`via=${code}`), pageProblems(html)]).toEqual([true, false, []]);
});

test('where to be paid is changed, problems stand beside their field, and the IBAN is never shown in full', async () => {
  const { session } = await makePaid();
  const send = async (fields: Record<string, string>) => {
    const { html } = await pages.get('/portal/details', { session });
    return pages.post('/portal/details', { ...hiddenFields(html), sentForm: 'main', ...fields }, { session });
  };
  const wrong = await send({ payoutMethod: 'bank_transfer', bankAccountHolder: 'Ada Test', bankIban: 'DE00' });
  expect([wrong.status, wrong.html.includes('href="#main-bankIban"')]).toEqual([422, true]);
  const saved = await send({
    payoutMethod: 'bank_transfer',
    bankAccountHolder: SCRIPT_TEXT.slice(0, 140),
    bankIban: 'DE89370400440532013000',
  });
  expect(saved).toMatchObject({ status: 303, location: '/portal/details' });
  const { html } = await pages.get('/portal/details', { session });
  expect([html.includes('****3000'), html.includes('DE89370400440532013000'), pageProblems(html)]).toEqual([true, false, []]);
});

test('changed details wait; the link of the mail takes the change back when its button is pressed, not when it is opened', async () => {
  const { profileId } = await makePaid();
  const email = await emailOf(api.runtime, profileId);
  const { url } = await createSignInLink(api.runtime.context(SYSTEM), { email });
  const started = await callAs(api, { kind: 'anonymous' }, 'signIn', { body: { token: tokenIn(url) } });
  const affiliate = (await signedIn(api, started.data.token))?.affiliate;
  if (!affiliate) throw new Error('no affiliate is signed in');
  await callAs(api, affiliate.actor, 'updatePayoutInfo', { body: { paypalEmail: 'thief@example.com' } });
  const session = sessions.open({ affiliate });
  for (const path of ['/portal', '/portal/details'])
    expect((await pages.get(path, { session })).html).toMatch(/Nothing is paid before <time/);
  const mail = (await mailsAbout(api.runtime, profileId)).findLast(({ to }) => to === email);
  const at = /\/payout-details\/restore\?token=[\w-]+/.exec(mail?.text ?? '')?.[0] ?? '';
  const opened = await pages.get(at);
  expect([opened.status, pageProblems(opened.html)]).toEqual([200, []]);
  expect((await callAs(api, affiliate.actor, 'getPayoutInfo', {})).data.paypalEmail).toBe('thief@example.com');
  const fields = hiddenFields(opened.html);
  expect((await pages.post('/payout-details/restore', fields)).location).toBe('/sign-in?next=%2Fportal%2Fdetails');
  expect((await callAs(api, affiliate.actor, 'getPayoutInfo', {})).data.paypalEmail).not.toBe('thief@example.com');
});

test('an invite leads to the portal, where it is claimed, and the first link is on the next page', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const body = { isPublic: true, skipOnboarding: true };
  const { token } = (await api.call('POST', `/programs/${programId}/invites`, { key: merchant.key, body })).data;
  const at = `/portal/invites/${token}`;
  expect((await pages.get(at)).location).toBe(`/sign-in?${new URLSearchParams({ next: at })}`);
  const session = sessions.open({ affiliate: await makeAffiliateActing(pages) });
  expect((await pages.get(`/i/${token}`, { session })).html).toContain(`href="${at}"`);
  const { html } = await pages.get(at, { session });
  expect([html.includes('You&#39;re invited to'), pageProblems(html)]).toEqual([true, []]);
  const claimed = await pages.post(at, hiddenFields(html), { session });
  expect(claimed).toMatchObject({ status: 303, location: `/portal/joined/${programId}` });
  expect((await pages.get(claimed.location ?? '', { session })).html).toMatch(/<svg class="qr"/);
});

test.each([true, false])('a link is made and has a QR code, with scripts: %s', async (javaScriptEnabled) => {
  const { session } = await makePaid();
  const { page, reports } = await openVisitor({
    ...site,
    cookies: { tributary_session_3000: session },
    more: { javaScriptEnabled },
  });
  await page.goto('/portal');
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
  await page.getByLabel('Name').fill('Newsletter');
  await page.getByRole('button', { name: 'Create link' }).click();
  const row = page.getByRole('row', { name: /Newsletter/ });
  await row.locator('summary').click();
  await row.getByRole('img', { name: /QR code of the link/ }).waitFor();
  expect(reports).toEqual([]);
  await page.context().close();
});

test('pages of the portal are accessible, narrow enough and small', async () => {
  const { session, german, payoutId } = await makePaid();
  const cookies = { tributary_session_3000: session };
  const found = await shownProblems({ ...site, cookies: { tributary_session_3000: german } }, '/portal');
  for (const path of [...OWN, `/portal/payouts/${payoutId}`]) found.push(...(await shownProblems({ ...site, cookies }, path)));
  expect(found).toEqual([]);
});
