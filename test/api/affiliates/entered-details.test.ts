import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();
const em = () => api.runtime.context({ kind: 'system', name: 'test' }).em;

const BANK = { bankAccountHolder: 'Ada Byron', bankIban: 'DE89 3704 0044 0532 0130 00', bankBic: 'COBADEFFXXX' };
const MASKED = { ...BANK, bankIban: '****3000', payoutMethod: 'bank_transfer', paypalEmail: null };
const paypal = (paypalEmail: string) => ({
  payoutMethod: 'paypal',
  paypalEmail,
  bankAccountHolder: null,
  bankIban: null,
  bankBic: null,
});

/** A merchant who adds people to a program. */
const makeOwn = async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const call = (method: 'GET' | 'PATCH' | 'POST', path: string, body?: unknown) =>
    api.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  const add = (body: Record<string, unknown> = {}) =>
    call('POST', '/affiliates', { programId: program.programId, email: `a-${unique()}@example.com`, ...body });
  const update = (id: string, body: unknown) => call('PATCH', `/affiliates/${id}`, body);
  return { key, program, call, add, update };
};

const profileIdOf = async (affiliateId: string): Promise<string> =>
  (await firstRow(em(), sql<{ id: string }>`select profile_id as id from affiliate where id = ${affiliateId}::uuid`))?.id ?? '';

const mailsAbout = async (profileId: string): Promise<number> =>
  (await rows(em(), sql`select id from mail where kind = 'payout_details_changed' and subject_id = ${profileId}::uuid`)).length;

test('IN2: a merchant sees and corrects a PayPal address that they entered, and the next payout goes there', async () => {
  const { program, call, add, update } = await makeOwn();
  const { data: added } = await add({ paypalEmail: 'adda@example.com' });
  expect(added).toMatchObject({ payoutDetails: paypal('adda@example.com') });
  expect((await call('GET', `/affiliates/${added.id}`)).data).toEqual(added);
  const corrected = await update(added.id, { paypalEmail: 'ada@example.com' });
  expect(corrected).toMatchObject({ status: 200, data: { payoutDetails: paypal('ada@example.com') } });
  // The person and the address before the change.
  expect(await mailsAbout(await profileIdOf(added.id))).toBe(2);
  await sendSale(api, program, { referralCode: added.code });
  expect((await call('GET', '/payouts/pending')).data).toMatchObject([{ affiliateId: added.id, paypalEmail: 'ada@example.com' }]);
});

test('IN2: bank details are entered, shown masked, replaced and removed', async () => {
  const { add, update } = await makeOwn();
  const { data: added } = await add(BANK);
  expect(added).toMatchObject({ payoutDetails: MASKED });
  const id = added.id;
  expect((await update(id, { bankAccountHolder: 'Ada Lovelace' })).data.payoutDetails).toEqual({
    ...MASKED,
    bankAccountHolder: 'Ada Lovelace',
  });
  expect((await update(id, { paypalEmail: 'ada@example.com' })).data.payoutDetails).toEqual(paypal('ada@example.com'));
  expect((await update(id, BANK)).data.payoutDetails).toEqual(MASKED);
  const none = { bankAccountHolder: null, bankIban: null, bankBic: null };
  expect((await update(id, none)).data.payoutDetails).toEqual({ ...none, payoutMethod: null, paypalEmail: null });
  expect((await update(id, BANK)).data.payoutDetails).toEqual(MASKED);
});

test.each<[string, Record<string, unknown>]>([
  ['both', { paypalEmail: 'ada@example.com', ...BANK }],
  ['an IBAN without its holder', { bankIban: BANK.bankIban }],
  ['a wrong IBAN', { ...BANK, bankIban: 'DE00370400440532013000' }],
  ['a BIC of another country', { ...BANK, bankBic: 'BNPAFRPP' }],
  ['no address', { paypalEmail: 'ada' }],
  ['an empty address', { paypalEmail: '' }],
  ['a number', { bankIban: 7 }],
])('IN2: 422 for %s, and nothing is changed', async (_, body) => {
  const { call, add, update } = await makeOwn();
  const { data: added } = await add({ paypalEmail: 'ada@example.com' });
  expect((await update(added.id, body)).status).toBe(422);
  expect((await add(body)).status).toBe(422);
  expect((await call('GET', `/affiliates/${added.id}`)).data).toEqual(added);
});

test('IN2: details of an affiliate who said themselves where they are paid are neither shown nor changed', async () => {
  const { program, call, add, update } = await makeOwn();
  const joined = await makeAffiliate(api.runtime, program.programId);
  const refused = await update(joined.affiliateId, { paypalEmail: 'mine@example.com' });
  expect(refused).toMatchObject({ status: 409, error: { details: { reason: 'DETAILS_OWNED_BY_AFFILIATE' } } });
  expect((await call('GET', `/affiliates/${joined.affiliateId}`)).data.payoutDetails).toBeNull();

  const { data: added } = await add({ paypalEmail: 'ada@example.com' });
  const ownKey = await makeAffiliateKey(api.runtime, await profileIdOf(added.id));
  await api.call('PATCH', '/me/payout-info', { key: ownKey, body: { paypalEmail: 'own@example.com' } });
  expect((await update(added.id, BANK)).error.details.reason).toBe('DETAILS_OWNED_BY_AFFILIATE');
  expect((await call('GET', `/affiliates/${added.id}`)).data.payoutDetails).toBeNull();
  const other = await makeOwn();
  expect((await other.update(added.id, { paypalEmail: 'other@example.com' })).status).toBe(403);
});

test('IN2: a correction begins the cooldown, and the same details again do not', async () => {
  const { program, call, add, update } = await makeOwn();
  await call('PATCH', '/merchant', { detailsCooldownHours: 24 });
  const { data: added } = await add({ paypalEmail: 'ada@example.com' });
  await sendSale(api, program, { referralCode: added.code });
  await update(added.id, { paypalEmail: 'ada@example.com', payoutsPaused: false });
  expect((await call('GET', '/payouts/pending')).data).toMatchObject([{ detailsCooldownUntil: null }]);
  expect(await mailsAbout(await profileIdOf(added.id))).toBe(0);
  await update(added.id, { paypalEmail: 'ada2@example.com' });
  const payout = await call('POST', '/payouts', { affiliateId: added.id, programId: program.programId });
  expect(payout).toMatchObject({ status: 409, error: { details: { reason: 'DETAILS_JUST_CHANGED' } } });
});

test('IN15: an external id finds its affiliate, and is unique in a program', async () => {
  const { key, program, call, add, update } = await makeOwn();
  const metadata = { segment: 'blogs', owner: 'Kim' };
  const { data: first } = await add({ externalId: 'partner-17', metadata });
  expect(first).toMatchObject({ externalId: 'partner-17', metadata });
  const taken = { status: 409, error: { details: { reason: 'EXTERNAL_ID_TAKEN', affiliateId: first.id } } };
  expect(await add({ externalId: 'partner-17' })).toMatchObject(taken);
  const { data: second } = await add();
  expect(second).toMatchObject({ externalId: null, metadata: null });
  expect(await update(second.id, { externalId: 'partner-17' })).toMatchObject(taken);
  expect((await update(first.id, { externalId: 'partner-17', metadata: null })).data).toEqual({ ...first, metadata: null });
  expect((await update(second.id, { externalId: 'Partner-17' })).status).toBe(200);
  const found = async (query: Record<string, string>) =>
    (await api.call('GET', '/affiliates', { key, query })).data.map(({ id }: { id: string }) => id);
  expect(await found({ externalId: 'partner-17' })).toEqual([first.id]);
  expect(await found({ email: first.email.toUpperCase() })).toEqual([first.id]);
  expect(await found({ email: 'nobody@example.com' })).toEqual([]);
  expect(await found({ email: second.email, externalId: 'partner-17' })).toEqual([]);
  const path = `/programs/${program.programId}/affiliates`;
  expect((await api.call('GET', path, { key, query: { externalId: 'partner-17' } })).data).toMatchObject([{ id: first.id }]);
  expect((await call('GET', '/affiliates')).meta.total).toBe(2);
  const elsewhere = await makeOwn();
  expect((await elsewhere.add({ externalId: 'partner-17' })).status).toBe(201);
});

test('IN15: of two affiliates with one external id at once, one is added', async () => {
  const { add } = await makeOwn();
  const both = await Promise.all([add({ externalId: 'x' }), add({ externalId: 'x' })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
});

test.each<[string, Record<string, unknown>]>([
  ['21 keys', { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`key${n}`, 'x'])) }],
  ['a number', { metadata: { size: 7 } }],
  ['more than 2 KB', { metadata: { text: 'x'.repeat(2_040) } }],
  ['an empty id', { externalId: '' }],
  ['a long id', { externalId: 'x'.repeat(201) }],
])('IN15: 422 for %s', async (_, body) => {
  const { add } = await makeOwn();
  expect((await add(body)).status).toBe(422);
});
