import { erasePerson } from '../../../src/domains/me/index.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { openTestApi, useOwnApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import { callAs, mailedProof, makeCompany, makePerson, signedIn } from '../../support/people.ts';

const api = useOwnApi({ SIGNUP: 'open', DEFAULT_TIER: 'growth' });
const system = { kind: 'system', name: 'test' } as const;
const anybody = { kind: 'anonymous' } as const;

const em = () => api.runtime.context(system).em;

const newAddress = (): string => `grace-${unique()}@acme.example`;

const start = (email: string, companyName = 'Acme', address?: string) =>
  callAs(api, anybody, 'startSignUp', { body: { email, companyName, name: 'Grace Holt' } }, address);

const proofOf = async (signInId: string) => {
  const proof = await mailedProof(api, signInId);
  if (!proof) throw new Error('nothing was mailed');
  return proof;
};

const byLink = (token: string) => callAs(api, anybody, 'createCompanyByLink', { body: { token } });
const byCode = (signInId: string, code: string) => callAs(api, anybody, 'createCompanyByCode', { body: { signInId, code } });

const signUp = async (email = newAddress(), companyName?: string) => {
  const { data } = await start(email, companyName);
  return byLink((await proofOf(data.id)).token);
};

const companiesOf = (email: string) =>
  rows(
    em(),
    sql<{
      companyName: string;
      role: string;
      tier: string;
    }>`select m.company_name as "companyName", r.role, m.billing_tier as tier
      from person p join person_role r on r.person_id = p.id and r.removed_at is null join merchant m on m.id = r.merchant_id
      where p.email = ${email} order by m.created_at, m.company_name`,
  );

const expectRejected = (response: unknown) => expect(response).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });

describe('an account', () => {
  it('is made when the address is proved, not before, with the person as its owner', async () => {
    const email = newAddress();
    const { data } = await start(email.toUpperCase(), ' Acme ');
    const proof = await proofOf(data.id);
    expect(proof).toMatchObject({ to: email, link: expect.stringContaining('/sign-up/link?token=') });
    expect([proof.text.includes('Acme'), proof.text.includes('Grace')]).toEqual([false, false]);
    expect(await companiesOf(email)).toEqual([]);
    const session = await byCode(data.id, proof.code);
    expect(session).toMatchObject({ status: 201, data: { home: 'merchant' } });
    expect(await companiesOf(email)).toEqual([{ companyName: 'Acme', role: 'owner', tier: 'growth' }]);
    const person = await signedIn(api, session.data.token);
    expect(person).toMatchObject({ name: 'Grace Holt', affiliate: null, merchant: { name: 'Acme' } });
    const actor = person?.merchant?.actor ?? anybody;
    expect((await callAs(api, actor, 'getMerchant', {})).data).toMatchObject({ companyName: 'Acme', userId: person?.personId });
    const log = await callAs(api, actor, 'listAuditLog', {});
    expect(log.data.map(({ action, actor: by }) => [action, by])).toEqual([
      ['person.joined', 'system:invite'],
      ['merchant.created', 'system:signUp'],
    ]);
  });

  it('of an address that is known gets the same response and the same mail, and the person keeps their name', async () => {
    const { owner, merchantId } = await makeCompany(api);
    const made = [await start(owner.email, 'Second'), await start(newAddress(), 'Second')];
    const [known, unknown] = made;
    expect([known?.status, Object.keys(known?.data ?? {})]).toEqual([unknown?.status, Object.keys(unknown?.data ?? {})]);
    const mails = await Promise.all(made.map(({ data }) => proofOf(data.id)));
    const [one, other] = mails.map(({ text, token, code }) =>
      text
        .replace(token, '')
        .replace(code, '')
        .replaceAll(/\d\d:\d\d/g, '')
        .replace(/unsubscribe\/\S+/, 'unsubscribe/'),
    );
    expect(one).toBe(other);
    const session = await byLink(mails[0]?.token ?? '');
    const person = await signedIn(api, session.data.token);
    expect(person).toMatchObject({ personId: owner.personId, merchant: { name: 'Second' } });
    expect((await signedIn(api, owner.token))?.merchant?.ownerId).toBe(merchantId);
    expect(await companiesOf(owner.email)).toHaveLength(2);
  });

  it('of the address of a merchant whose people are others is another one', async () => {
    const merchant = await makeMerchant(api.runtime);
    const [contact] = await rows(
      em(),
      sql<{ email: string }>`select email from merchant where id = ${merchant.merchantId}::uuid`,
    );
    const session = await signUp(contact?.email ?? '', 'Mine');
    const person = await signedIn(api, session.data.token);
    expect(person?.merchant?.ownerId).not.toBe(merchant.merchantId);
    expect(await companiesOf(contact?.email ?? '')).toMatchObject([{ companyName: 'Mine' }]);
  });

  it('is one for a form that was sent twice, also at the same time', async () => {
    const email = newAddress();
    const proofs = await Promise.all([1, 2].map(async () => proofOf((await start(email)).data.id)));
    const sessions = await Promise.all(proofs.map(({ token }) => byLink(token)));
    expect(sessions.map(({ status }) => status)).toEqual([201, 201]);
    expect(await companiesOf(email)).toHaveLength(1);
    expect((await signUp(email)).status).toBe(201);
    expect(await companiesOf(email)).toHaveLength(1);
  });

  it('is one of three that a person opens in a day', async () => {
    const email = newAddress();
    for (const name of ['One', 'Two', 'Three']) expect((await signUp(email, name)).status).toBe(201);
    const limit = { status: 409, error: { details: { reason: 'TOO_MANY_COMPANIES', limit: 3 } } };
    const { data } = await start(email, 'Four');
    const { token } = await proofOf(data.id);
    expect(await byLink(token)).toMatchObject(limit);
    await execute(em(), sql`update merchant set created_at = created_at - interval '24 hours' where email = ${email}`);
    expect((await byLink(token)).status).toBe(201);
    expect(await companiesOf(email)).toHaveLength(4);
  });
});

describe('a link or a code', () => {
  it('works once, also for two at the same time', async () => {
    const email = newAddress();
    const { data } = await start(email);
    const { token, code } = await proofOf(data.id);
    const both = await Promise.all([byLink(token), byCode(data.id, code)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    expectRejected(await byLink(token));
    expectRejected(await byCode(data.id, code));
  });

  it('ends after 15 minutes, and after five wrong codes', async () => {
    const late = (await start(newAddress())).data.id;
    const { token } = await proofOf(late);
    await execute(em(), sql`update sign_in set expires_at = now() - interval '1 second' where id = ${late}::uuid`);
    expectRejected(await byLink(token));
    const { data } = await start(newAddress());
    const { code } = await proofOf(data.id);
    const wrong = code === '000 000' ? '000 001' : '000 000';
    for (let n = 0; n < 5; n++) expectRejected(await byCode(data.id, wrong));
    expectRejected(await byCode(data.id, code));
  });

  it('is for signing up only, and none for anything else opens an account', async () => {
    const { owner } = await makeCompany(api);
    const { data } = await start(owner.email);
    const { token, code } = await proofOf(data.id);
    for (const id of ['signIn', 'signUpByLink'] as const) expectRejected(await callAs(api, anybody, id, { body: { token } }));
    for (const id of ['signInByCode', 'signUpByCode'] as const)
      expectRejected(await callAs(api, anybody, id, { body: { signInId: data.id, code } }));
    const signIn = await callAs(api, anybody, 'startSignIn', { body: { email: owner.email } });
    const ofSignIn = await proofOf(signIn.data.id);
    expectRejected(await byLink(ofSignIn.token));
    expectRejected(await byCode(signIn.data.id, ofSignIn.code));
    expect(await companiesOf(owner.email)).toHaveLength(1);
  });

  it('is limited with sign-ins: five mails of an address to a mailbox, and 20 requests of an address', async () => {
    const email = newAddress();
    const from = '198.51.101.7';
    for (let n = 0; n < 4; n++) await callAs(api, anybody, 'startSignIn', { body: { email } }, from);
    const ids = [(await start(email, 'Acme', from)).data.id, (await start(email, 'Acme', from)).data.id];
    expect((await Promise.all(ids.map((id) => mailedProof(api, id)))).map((mail) => mail !== null)).toEqual([true, false]);
    const stored = await rows(em(), sql`select company_name from sign_in where id = ${ids[1] ?? ''}::uuid`);
    expect(stored).toEqual([{ company_name: null }]);
    const address = `198.51.100.${Math.floor(Math.random() * 250)}`;
    for (let n = 0; n < 20; n++) expect((await start(newAddress(), 'Acme', address)).status).toBe(201);
    expect(await start(newAddress(), 'Acme', address)).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
  });

  it('of somebody who was erased meanwhile opens nothing', async () => {
    const email = newAddress();
    const { data } = await start(email);
    const { token } = await proofOf(data.id);
    await erasePerson(api.runtime.context(system), { email });
    expectRejected(await byLink(token));
    expect(await rows(em(), sql`select company_name from sign_in where id = ${data.id}::uuid`)).toEqual([{ company_name: null }]);
  });
});

describe('somebody who is signed in', () => {
  const create = (actor: Parameters<typeof callAs>[1], companyName: string, idempotencyKey?: string) =>
    callAs(api, actor, 'createCompany', { body: { companyName }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });

  it('opens one more company whatever their role, and acts for it', async () => {
    const { merchantId } = await makeCompany(api);
    const viewer = await makePerson(api, { merchantId, role: 'viewer' });
    const made = await create(viewer.actor, 'Side');
    expect(made).toMatchObject({ status: 201, data: { companyName: 'Side', role: 'owner', isCurrent: true } });
    expect((await signedIn(api, viewer.token))?.merchant).toMatchObject({ ownerId: made.data.merchantId, name: 'Side' });
    expect(await companiesOf(viewer.email)).toMatchObject([{ role: 'viewer' }, { companyName: 'Side', role: 'owner' }]);
  });

  it('opens one for a form that is sent twice, and three in a day at most', async () => {
    const { owner } = await makeCompany(api);
    const key = unique();
    const both = await Promise.all([create(owner.actor, 'One', key), create(owner.actor, 'One', unique())]);
    expect(both.map(({ data }) => data.merchantId)).toEqual([both[0]?.data.merchantId, both[0]?.data.merchantId]);
    for (const name of ['Two', 'Three']) expect((await create(owner.actor, name)).status).toBe(201);
    expect(await create(owner.actor, 'Four')).toMatchObject({ error: { details: { reason: 'TOO_MANY_COMPANIES' } } });
    expect((await create(owner.actor, 'One', key)).data).toMatchObject({ merchantId: both[0]?.data.merchantId });
  });

  it('is a person: no key opens a company', async () => {
    const merchant = await makeMerchant(api.runtime);
    const ofKey = { kind: 'key', keyId: merchant.keyId, keyType: 'merchant', ownerId: merchant.merchantId, scopes: [] } as const;
    expect(await create(ofKey, 'Side')).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
    expect(await create(anybody, 'Side')).toMatchObject({ status: 401 });
  });
});

test('while sign-up is closed, nothing of it is found, and a link that was mailed before opens nothing', async () => {
  const closed = await openTestApi();
  try {
    expect(closed.runtime.settings.signUps).toBe('closed');
    const { data } = await start(newAddress());
    const { token, code } = await proofOf(data.id);
    const { owner } = await makeCompany(closed);
    const body = { email: newAddress(), companyName: 'Acme', name: 'Grace' };
    const responses = [
      await callAs(closed, anybody, 'getSignUp', {}),
      await callAs(closed, anybody, 'startSignUp', { body }),
      await callAs(closed, anybody, 'createCompanyByLink', { body: { token } }),
      await callAs(closed, anybody, 'createCompanyByCode', { body: { signInId: data.id, code } }),
      await callAs(closed, owner.actor, 'createCompany', { body: { companyName: 'Acme' } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  } finally {
    await closed.close();
  }
});
