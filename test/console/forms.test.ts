import { hiddenFields, idempotencyKeyIn, makeMerchantActing, pageProblems, useConsole } from '../support/console.ts';
import { makeProgram } from '../support/factories.ts';
import { KIT_PAGES } from './kit-pages.ts';

const pages = useConsole(KIT_PAGES);
const { api, sessions } = pages;
const NEW = '/console/programs/new';

const signIn = async () => {
  const acting = await makeMerchantActing(pages);
  return { ...acting, session: sessions.open({ merchant: acting }) };
};

const program = { name: 'Spring', commissionType: 'recurring', commissionPercent: '12.5', payoutThreshold: '25.00' };

test('a form is sent once, and the next page says so once', async () => {
  const { session, key } = await signIn();
  const shown = await pages.get(NEW, { session });
  const sent = await pages.post(NEW, { ...hiddenFields(shown.html), ...program }, { session });
  expect(sent.status).toBe(303);
  expect(sent.location).toMatch(/^\/console\/programs\/[0-9a-f-]{36}$/);
  const next = await pages.get(sent.location ?? '', { session, cookies: { flash: sent.cookies['flash'] ?? '' } });
  expect(next.html).toContain('Spring is ready');
  expect(next.cookies['flash']).toBe('');
  expect((await pages.get(sent.location ?? '', { session })).html).not.toContain('is ready');
  const [created] = (await api.call('GET', '/programs', { key })).data;
  expect(created).toMatchObject({ name: 'Spring', commissionPercent: 12.5, payoutThreshold: 2_500 });
});

test('sending the same form again has no second effect', async () => {
  const { session, key } = await signIn();
  const fields: Record<string, string> = { ...hiddenFields((await pages.get(NEW, { session })).html), ...program };
  const both = await Promise.all([pages.post(NEW, fields, { session }), pages.post(NEW, fields, { session })]);
  const third = await pages.post(NEW, fields, { session });
  expect(new Set([...both, third].map(({ location }) => location)).size).toBe(1);
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(1);
  const other = await pages.post(NEW, { ...fields, name: 'Other' }, { session });
  expect(other).toMatchObject({ status: 409 });
  expect(other.html).toContain('This form was already sent');
  expect(other.html).toContain('value="Other"');
  expect(idempotencyKeyIn(other.html)).not.toBe(fields['idempotencyKey']);
});

test('errors stand beside their fields in the words of the API, and what was typed is kept', async () => {
  const { session, key } = await signIn();
  const fields = { ...program, name: '', commissionPercent: '250', description: 'Kept', autoApproveAffiliates: 'on' };
  const { status, html } = await pages.post(NEW, fields, { session });
  expect(status).toBe(422);
  expect(html).toContain('<title>Error: New program');
  expect(html).toMatch(/role="alert".*<a href="#main-name">Name must not be empty<\/a>/s);
  expect(html).toMatch(/id="main-name-error".*?Name must not be empty/s);
  expect(html).toMatch(/<input id="main-name"[^>]* aria-describedby="main-name-hint main-name-error" aria-invalid="true"/);
  expect(html).toContain('Percent must be at most 100');
  expect(html).toMatch(/<textarea[^>]*>\nKept<\/textarea>/);
  expect(html).toMatch(/name="autoApproveAffiliates"[^>]* checked/);
  expect(html).toMatch(/value="recurring" checked/);
  expect(pageProblems(html)).toEqual([]);
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(0);
});

test.each([
  ['no number', { commissionPercent: 'a lot' }, 'Percent must be a number'],
  ['an amount with too many decimals', { payoutThreshold: '1.005' }, 'Lowest payout must be an amount such as 12.50'],
  ['an amount that is no number', { payoutThreshold: '1e3' }, 'Lowest payout must be an amount such as 12.50'],
  ['a choice that is not there', { commissionType: 'never' }, 'Commission of must be chosen from the list'],
])('%s is a problem of its field', async (_what, more, text) => {
  const { session } = await signIn();
  const { status, html } = await pages.post(NEW, { ...program, ...more }, { session });
  expect(status).toBe(422);
  expect(html).toContain(text);
});

test('empty fields are named together with what could not be read', async () => {
  const { session } = await signIn();
  const { html } = await pages.post(NEW, { ...program, name: ' ', commissionPercent: '' }, { session });
  expect(html).toMatch(/Name must not be empty<\/a>.*Percent must be a number<\/a>/s);
});

test('amounts are read as the person writes them', async () => {
  const acting = await makeMerchantActing(pages);
  const session = sessions.open({ merchant: acting, locale: 'de-DE' });
  const sent = await pages.post(NEW, { ...program, commissionPercent: '12,5', payoutThreshold: '25,5' }, { session });
  expect(sent.status).toBe(303);
  const [created] = (await api.call('GET', '/programs', { key: acting.key })).data;
  expect(created).toMatchObject({ commissionPercent: 12.5, payoutThreshold: 2_550 });
});

test('a form that fills a page with values shows what was sent instead, when that was wrong', async () => {
  const { session, key } = await signIn();
  const { programId } = await makeProgram(api, key, { name: 'Before' });
  const url = `/console/programs/${programId}`;
  expect((await pages.get(url, { session })).html).toContain('value="Before"');
  const wrong = await pages.post(url, { sentForm: 'rename', name: '' }, { session });
  expect(wrong.status).toBe(422);
  expect(wrong.html).not.toContain('value="Before"');
  expect((await pages.post(url, { sentForm: 'rename', name: 'After' }, { session })).status).toBe(303);
  expect((await pages.get(url, { session })).html).toContain('value="After"');
});

test('a form that the person may not send is refused, and not shown', async () => {
  const acting = await makeMerchantActing(pages, ['programs:read', 'programs:write']);
  const { programId } = await makeProgram(api, acting.key).catch(() => ({ programId: '' }));
  const reader = await makeMerchantActing(pages, ['programs:read']);
  const session = sessions.open({
    merchant: { ...reader, ownerId: acting.ownerId, actor: { ...reader.actor, ownerId: acting.ownerId } as never },
  });
  const url = `/console/programs/${programId}`;
  const { status, html } = await pages.get(url, { session });
  expect({ status, form: html.includes('Rename') }).toEqual({ status: 200, form: false });
  expect((await pages.post(url, { sentForm: 'rename', name: 'After' }, { session })).status).toBe(403);
  expect((await pages.post(url, { sentForm: 'delete', name: 'After' }, { session })).status).toBe(400);
  expect((await pages.post(url, { sentForm: '__proto__' }, { session })).status).toBe(400);
});

test('an action of a button says on the page before what was wrong', async () => {
  const { session, key } = await signIn();
  const { programId } = await makeProgram(api, key);
  const done = await pages.post(`/console/programs/${programId}/archive`, {}, { session });
  expect(done).toMatchObject({ status: 303, location: '/console' });
  const wrong = await pages.post('/console/programs/none/archive', {}, { session });
  expect(wrong).toMatchObject({ status: 303, location: '/console' });
  const next = await pages.get('/console', { session, cookies: { flash: wrong.cookies['flash'] ?? '' } });
  expect(next.html).toMatch(/role="status"><div class="notice bad">.*must be a UUID/s);
  expect((await pages.get(`/console/programs/${programId}/archive`, { session })).status).toBe(404);
});

test('a secret is shown once, on the response to the form, and again to the same form only', async () => {
  const { session } = await signIn();
  const fields = { ...hiddenFields((await pages.get('/console/keys', { session })).html), name: 'CI' };
  const [first, again] = [
    await pages.post('/console/keys', fields, { session }),
    await pages.post('/console/keys', fields, { session }),
  ];
  expect(first.status).toBe(200);
  const [value = ''] = /ak_live_\w+/.exec(first.html) ?? [];
  expect(value).not.toBe('');
  expect(again.html).toContain(value);
  expect((await pages.get('/console/keys', { session })).html).not.toContain(value);
});

test('a forged or foreign flash message is not shown', async () => {
  const { session } = await signIn();
  const text = Buffer.from(JSON.stringify(['good', 'Send money to Mallory'])).toString('base64url');
  for (const flash of [text, `${text}.`, `${text}.0123456789abcdef0123456789abcdef`]) {
    const { status, html } = await pages.get('/console', { session, cookies: { flash } });
    expect({ status, shown: html.includes('Mallory') }).toEqual({ status: 200, shown: false });
  }
});
