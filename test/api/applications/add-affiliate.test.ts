import { createAffiliate, submitApplication } from '../../../src/domains/applications/index.ts';
import { findProgram } from '../../../src/domains/programs/index.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { mailsAbout } from '../../domains/notifications/support.ts';
import { useTestApi } from '../../support/api.ts';
import {
  makeAffiliateKey,
  makeKey,
  makeMerchant,
  makeProgram,
  sendSale,
  type TestProgram,
  unique,
} from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { makeCompany } from '../../support/people.ts';

const api = useTestApi();
const system = () => api.runtime.context({ kind: 'system', name: 'test' });

const makeOwn = async () => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key);
  const add = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    api.call('POST', '/affiliates', { key: merchant.key, body: { programId: program.programId, ...body }, headers });
  const get = (path: string, query?: Record<string, string>) =>
    api.call('GET', path, { key: merchant.key, ...(query ? { query } : {}) });
  return { ...merchant, program, programId: program.programId, add, get };
};

const newEmail = () => `a-${unique()}@example.com`;

/** A person with a name, payout details and a key, in a program of another merchant. */
const makeExisting = async () => {
  const other = await makeOwn();
  const email = newEmail();
  const bank = { bankIban: 'DE89370400440532013000', bankAccountHolder: 'Zora Secret' };
  const person = { programId: other.programId, email, name: 'Zora Secret', source: 'api' as const, payout: bank };
  const { profileId } = await createAffiliate(system(), person);
  return { other, email, profileId, key: await makeAffiliateKey(api.runtime, profileId) };
};

const profileRow = (profileId: string) =>
  firstRow(system().em, sql<{ row: unknown }>`select to_jsonb(p) as row from affiliate_profile p where id = ${profileId}::uuid`);

const eventsOf = async (merchantId: string): Promise<string[]> =>
  (
    await rows(
      system().em,
      sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
        where merchant_id = ${merchantId}::uuid and type like 'affiliate.%' order by id`,
    )
  ).map(({ body }) => body);

const earn = (program: TestProgram, code: string) => sendSale(api, program, { amount: 10_000, referralCode: code });

test('a new person becomes an approved affiliate with what the merchant entered', async () => {
  const own = await makeOwn();
  const email = newEmail();
  const code = `ada-${unique()}`;
  const added = await own.add({
    email: ` ${email.toUpperCase()} `.trim(),
    name: 'Ada Byron',
    code,
    paypalEmail: 'ada@pay.example',
  });
  expect(added).toMatchObject({
    status: 201,
    data: { programId: own.programId, email, name: 'Ada Byron', code, status: 'approved' },
  });
  expect((await own.get(`/affiliates/${added.data.id}`)).data).toEqual(added.data);
  const { payoutDetails: _, ...listed } = added.data;
  expect((await own.get('/affiliates', { search: 'byron' })).data).toEqual([listed]);
  expect((await eventsOf(own.merchantId)).map((body) => JSON.parse(body).type)).toEqual([
    'affiliate.joined',
    'affiliate.approved',
  ]);
});

test('only the address is needed: the name is unknown then, and the code is random', async () => {
  const own = await makeOwn();
  const { data } = await own.add({ email: newEmail() });
  expect(data).toMatchObject({ name: null, code: expect.stringMatching(/^[a-z0-9]{10}$/) });
});

test('the details that the merchant entered pay only its payouts', async () => {
  const [own, other] = [await makeOwn(), await makeOwn()];
  const email = newEmail();
  const { data } = await own.add({ email, paypalEmail: 'ada@pay.example' });
  const theirs = await other.add({ email });
  await earn(own.program, data.code);
  await earn(other.program, theirs.data.code);
  expect((await own.get('/payouts/pending')).data).toMatchObject([
    { payoutMethod: 'paypal', paypalEmail: 'ada@pay.example', hasPayoutMethod: true },
  ]);
  expect((await other.get('/payouts/pending')).data).toMatchObject([
    { payoutMethod: null, paypalEmail: null, hasPayoutMethod: false },
  ]);
  const pay = (merchant: typeof own, affiliateId: string) =>
    api.call('POST', '/payouts', { key: merchant.key, body: { affiliateId, programId: merchant.programId } });
  expect(await pay(own, data.id)).toMatchObject({ status: 201, data: { method: 'paypal' } });
  expect(await pay(other, theirs.data.id)).toMatchObject({
    status: 409,
    error: { details: { reason: 'PAYOUT_DETAILS_MISSING' } },
  });
});

test('a profile that exists is neither changed nor shown, in any response and in any event', async () => {
  const { email, profileId } = await makeExisting();
  const before = await profileRow(profileId);
  const own = await makeOwn();
  const added = await own.add({ email, name: 'Entered Name' });
  const { id, code } = added.data;
  await earn(own.program, code);
  await api.call('POST', `/affiliates/${id}/block`, { key: own.key });
  await api.call('POST', `/affiliates/${id}/unblock`, { key: own.key });
  const texts = [
    added.text,
    ...(await eventsOf(own.merchantId)),
    ...(await Promise.all(
      ['/affiliates', `/affiliates/${id}`, `/programs/${own.programId}/affiliates`, '/payouts/pending', '/applications'].map(
        async (path) => (await own.get(path)).text,
      ),
    )),
  ];
  expect(texts.length).toBeGreaterThan(8);
  expect(texts.filter((text) => /Zora|Secret|3000|bank_transfer/.test(text))).toEqual([]);
  expect(texts.filter((text) => text.includes('Entered Name')).length).toBeGreaterThan(6);
  expect((await own.get('/affiliates', { search: 'zora' })).data).toEqual([]);
  expect((await own.get('/affiliates', { search: 'entered' })).data).toHaveLength(1);
  expect(await profileRow(profileId)).toEqual(before);
});

test('a profile that exists is not shown in mails to the merchant, events, exports and what workflows are told', async () => {
  const { email } = await makeExisting();
  const own = await makeOwn();
  const added = await own.add({ email, name: 'Entered Name', paypalEmail: `p-${unique()}@example.com` });
  const { id, code } = added.data;
  await earn(own.program, code);
  const act = (path: string, body?: unknown) => api.call('POST', path, { key: own.key, ...(body === undefined ? {} : { body }) });
  const flag = await act('/flags', { affiliateId: id, note: 'Look at this' });
  await act(`/flags/${flag.data.id}/resolve`, { status: 'dismissed' });
  const payout = await act('/payouts', { affiliateId: id, programId: own.programId });
  for (const verb of ['process', 'complete']) expect((await act(`/payouts/${payout.data.id}/${verb}`)).status).toBe(200);
  const download = async (path: string) => {
    const { url } = (await own.get(path)).data;
    return (await api.raw('GET', url.slice(new URL(url).origin.length), {})).text;
  };
  const written = await rows(
    system().em,
    sql<{ text: string }>`select convert_from(body, 'UTF8') as text from webhook_event where merchant_id = ${own.merchantId}::uuid
      union all select to_jsonb(o)::text from outbox o where subject_id::text in (${id}, ${flag.data.id}, ${payout.data.id})
      union all select to_jsonb(l)::text from audit_log l where owner_id = ${own.merchantId}::uuid`,
  );
  const mails = await Promise.all([flag.data.id, payout.data.id].map((subjectId) => mailsAbout(api.runtime, subjectId)));
  const shown = [
    ...written.map(({ text }) => text),
    ...mails.flat().map(({ text, subject }) => subject + text),
    ...(await Promise.all(
      [`/flags/${flag.data.id}`, '/flags', `/payouts/${payout.data.id}`, `/payouts/${payout.data.id}/timeline`, '/payouts'].map(
        async (path) => (await own.get(path)).text,
      ),
    )),
    await download('/payouts/export'),
    await download(`/payouts/${payout.data.id}/remittance`),
    await download('/ledger/export'),
  ];
  expect(mails.flat().map(({ kind }) => kind)).toEqual(['flag_opened', 'payout_completed']);
  expect(shown.length).toBeGreaterThan(15);
  expect(shown.filter((text) => /Zora|Secret|DE89/.test(text))).toEqual([]);
  expect(shown.filter((text) => text.includes('Entered Name')).length).toBeGreaterThan(3);
});

test('the response does not tell whether the person was known before: the id of the person holds no time', async () => {
  const { email } = await makeExisting();
  const own = await makeOwn();
  const [known, unknown] = [await own.add({ email }), await own.add({ email: newEmail() })];
  for (const { data } of [known, unknown]) expect(data.userId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
  expect(Object.keys(known.data)).toEqual(Object.keys(unknown.data));
});

test('nor whether somebody signs in with the address for another merchant', async () => {
  const other = await makeCompany(api);
  const own = await makeOwn();
  const { data } = await own.add({ email: other.owner.email });
  expect(data.userId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
});

test('the bank account of a hidden profile is never paid, so that nobody can read it from a payout', async () => {
  const { email, key } = await makeExisting();
  const own = await makeOwn();
  const { data } = await own.add({ email });
  await earn(own.program, data.code);
  const pay = () => api.call('POST', '/payouts', { key: own.key, body: { affiliateId: data.id, programId: own.programId } });
  expect((await pay()).error.details.reason).toBe('PAYOUT_DETAILS_MISSING');
  await api.call('PATCH', '/me/payout-info', { key, body: { bankAccountHolder: 'Zora Other' } });
  expect((await pay()).error.details.reason).toBe('PAYOUT_DETAILS_MISSING');
});

test('a person whom only this merchant added is shown and paid as they say, once they enter where', async () => {
  const own = await makeOwn();
  const email = newEmail();
  const { data } = await own.add({ email, name: 'Ada Byron', paypalEmail: 'old@pay.example' });
  await earn(own.program, data.code);
  const profile = await firstRow(system().em, sql<{ id: string }>`select id from affiliate_profile where email = ${email}`);
  const key = await makeAffiliateKey(api.runtime, profile?.id ?? '');
  await api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: 'new@pay.example' } });
  expect((await own.get('/payouts/pending')).data).toMatchObject([{ name: 'Ada Byron', paypalEmail: 'new@pay.example' }]);
});

test('a cooldown begins when the details of the owner replace those of the merchant', async () => {
  const own = await makeOwn();
  await api.call('PATCH', '/merchant', { key: own.key, body: { detailsCooldownHours: 24 } });
  const email = newEmail();
  const { data } = await own.add({ email, paypalEmail: 'old@pay.example' });
  await earn(own.program, data.code);
  expect((await own.get('/payouts/pending')).data[0].detailsCooldownUntil).toBeNull();
  const profile = await firstRow(system().em, sql<{ id: string }>`select id from affiliate_profile where email = ${email}`);
  const key = await makeAffiliateKey(api.runtime, profile?.id ?? '');
  await api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: 'new@pay.example' } });
  const body = { affiliateId: data.id, programId: own.programId };
  expect(await api.call('POST', '/payouts', { key: own.key, body })).toMatchObject({
    status: 409,
    error: { details: { reason: 'DETAILS_JUST_CHANGED' } },
  });
});

test('of requests at the same time, one adds the person', async () => {
  const own = await makeOwn();
  const email = newEmail();
  const statuses = (await Promise.all(Array.from({ length: 5 }, () => own.add({ email })))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 409, 409, 409, 409]);
  expect((await own.get('/affiliates')).meta.total).toBe(1);
});

test('a retry with the same Idempotency-Key returns the same affiliate', async () => {
  const own = await makeOwn();
  const [body, headers] = [{ email: newEmail() }, { 'idempotency-key': unique() }];
  expect((await own.add(body, headers)).data).toEqual((await own.add(body, headers)).data);
});

test('409 for an affiliate of the program, and for a code in use', async () => {
  const own = await makeOwn();
  const email = newEmail();
  const { data } = await own.add({ email, code: `c-${unique()}` });
  expect(await own.add({ email: email.toUpperCase() })).toMatchObject({
    status: 409,
    error: { details: { reason: 'ALREADY_MEMBER', affiliateId: data.id } },
  });
  expect(await own.add({ email: newEmail(), code: data.code })).toMatchObject({
    status: 409,
    error: { details: { reason: 'CODE_TAKEN' } },
  });
  expect((await own.get('/affiliates')).meta.total).toBe(1);
});

test('409 for an archived program, and nobody is added', async () => {
  const own = await makeOwn();
  await api.call('DELETE', `/programs/${own.programId}`, { key: own.key });
  const archived = await own.add({ email: newEmail() });
  expect(archived).toMatchObject({ status: 409, error: { details: { reason: 'PROGRAM_INACTIVE', status: 'archived' } } });
  expect((await own.get('/affiliates')).meta.total).toBe(0);
  expect(await eventsOf(own.merchantId)).toEqual([]);
});

test('404 for a missing program, 403 for that of another merchant', async () => {
  const [own, other] = [await makeOwn(), await makeOwn()];
  expect((await own.add({ email: newEmail(), programId: MISSING_ID })).status).toBe(404);
  expect((await own.add({ email: newEmail(), programId: other.programId })).status).toBe(403);
});

test.each([
  ['email', { email: 'ada' }],
  ['email', {}],
  ['name', { email: 'a@example.com', name: 'a\nb' }],
  ['code', { email: 'a@example.com', code: 'a b' }],
  ['code', { email: 'a@example.com', code: 'Admin' }],
  ['paypalEmail', { email: 'a@example.com', paypalEmail: 'ada' }],
  ['status', { email: 'a@example.com', status: 'blocked' }],
])('an invalid %s is reported, and nobody is added: %j', async (path, body) => {
  const own = await makeOwn();
  expect(await own.add(body)).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
  expect((await own.get('/affiliates')).meta.total).toBe(0);
});

test('a key without affiliates:manage is 403', async () => {
  const own = await makeOwn();
  const { key } = await makeKey(api.runtime, { ownerId: own.merchantId, scopes: ['affiliates:read'] });
  const body = { programId: own.programId, email: newEmail() };
  expect((await api.call('POST', '/affiliates', { key, body })).error.code).toBe('INSUFFICIENT_SCOPE');
});

test('a blocked application is lifted, and a waiting one is approved, under the id that was allotted with it', async () => {
  for (const block of [true, false]) {
    const own = await makeOwn();
    const { email, profileId } = await makeExisting();
    const program = await findProgram(system(), own.programId);
    if (!program) throw new Error('no program');
    const applied = await submitApplication(system(), { program, profileId, source: 'api' });
    if (block) await api.call('POST', `/applications/${applied.applicationId}/block`, { key: own.key });
    const added = await own.add({ email, paypalEmail: 'ada@pay.example' });
    expect(added).toMatchObject({ status: 201, data: { id: applied.affiliateId, status: 'approved', name: 'Zora Secret' } });
    expect((await own.get(`/applications/${applied.applicationId}`)).data.status).toBe('approved');
    expect((await own.get('/applications')).meta.total).toBe(1);
  }
});

test('whom the merchant added joins by applying: from then on the profile is shown and its details are used', async () => {
  const { email, profileId } = await makeExisting();
  const own = await makeOwn();
  const { data } = await own.add({ email, name: 'Entered Name', paypalEmail: 'entered@pay.example' });
  await earn(own.program, data.code);
  const program = await findProgram(system(), own.programId);
  if (!program) throw new Error('no program');
  const apply = () => submitApplication(system(), { program, profileId, source: 'api' });
  expect(await apply()).toMatchObject({ affiliateId: data.id, status: 'auto_approved' });
  expect((await own.get(`/affiliates/${data.id}`)).data.name).toBe('Zora Secret');
  expect((await own.get('/applications')).data).toMatchObject([{ name: 'Zora Secret' }]);
  expect((await own.get('/affiliates', { search: 'zora' })).data).toHaveLength(1);
  expect((await own.get('/payouts/pending')).data).toMatchObject([{ payoutMethod: 'bank_transfer', bankIban: '****3000' }]);
  await expect(apply()).rejects.toMatchObject({ details: { reason: 'ALREADY_MEMBER' } });
});
