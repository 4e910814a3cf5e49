import { erasePerson } from '../../../src/domains/me/index.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { callAs, mailedProof, makePerson, signedIn } from '../../support/people.ts';

const api = useOwnApi();
const system = { kind: 'system', name: 'test' } as const;
const anybody = { kind: 'anonymous' } as const;

const em = () => api.runtime.context(system).em;

const makePublished = async (more: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const portalSlug = `acme-${unique()}`;
  const { programId } = await makeProgram(api, merchant.key, { portalSlug, autoApproveAffiliates: true, ...more });
  return { ...merchant, portalSlug, programId };
};
type Published = Awaited<ReturnType<typeof makePublished>>;

const newAddress = (): string => `ada-${unique()}@blog.example`;

const start = ({ portalSlug }: Pick<Published, 'portalSlug'>, email: string, name = 'Ada Byron', address?: string) =>
  callAs(api, anybody, 'startJoiningProgram', { params: { portalSlug }, body: { email, name } }, address);

/** What a request was mailed. */
const proofOf = async (signInId: string) => {
  const proof = await mailedProof(api, signInId);
  if (!proof) throw new Error('nothing was mailed');
  return proof;
};

const byLink = (token: string) => callAs(api, anybody, 'signUpByLink', { body: { token } });
const byCode = (signInId: string, code: string) => callAs(api, anybody, 'signUpByCode', { body: { signInId, code } });

/** Somebody who has proved their address, and has not joined yet. */
const signUp = async (program: Published, email = newAddress(), name?: string) => {
  const { data } = await start(program, email, name);
  const { token } = await proofOf(data.id);
  const session = await byLink(token);
  const person = await signedIn(api, session.data.token);
  if (!person?.affiliate) throw new Error('not signed in as an affiliate');
  return { email, person, actor: person.affiliate.actor, profileId: person.affiliate.ownerId };
};
type Joiner = Awaited<ReturnType<typeof signUp>>;

const termsVersionOf = async ({ portalSlug }: Published): Promise<string> =>
  (await callAs(api, anybody, 'getProgramToJoin', { params: { portalSlug } })).data.termsVersion;

const join = async (
  program: Published,
  { actor }: Pick<Joiner, 'actor'>,
  body: { termsVersion?: string; message?: string; answers?: string[] } = {},
) =>
  callAs(api, actor, 'joinProgram', {
    params: { portalSlug: program.portalSlug },
    body: { termsVersion: await termsVersionOf(program), ...body },
  });

/** Everything that is stored under an address. */
const accountsOf = async (email: string) =>
  rows(
    em(),
    sql<{ kind: string; name: string }>`select 'person' as kind, name from person where email = ${email}
      union all select 'profile', name from affiliate_profile where lower(email) = ${email} order by kind`,
  );

const expectRejected = (response: unknown) => expect(response).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });

describe('an address', () => {
  it('that nobody has gets an account when it is proved, not before', async () => {
    const program = await makePublished();
    const email = newAddress();
    const { data } = await start(program, email.toUpperCase());
    const proof = await proofOf(data.id);
    expect(proof).toMatchObject({ to: email, link: expect.stringContaining(`/join/${program.portalSlug}/link?token=`) });
    expect(await accountsOf(email)).toEqual([]);
    const session = await byCode(data.id, proof.code);
    expect(session).toMatchObject({ status: 201, data: { home: 'affiliate' } });
    expect(await accountsOf(email)).toEqual([
      { kind: 'person', name: 'Ada Byron' },
      { kind: 'profile', name: 'Ada Byron' },
    ]);
    const person = await signedIn(api, session.data.token);
    const profile = await firstRow(
      em(),
      sql<{ userId: string }>`select user_id as "userId" from affiliate_profile where email = ${email}`,
    );
    expect(person).toMatchObject({ merchant: null, personId: profile?.userId });
  });

  it('that is known gets the same response and the same mail, and keeps its name', async () => {
    const program = await makePublished();
    const owner = await makePerson(api, await makeMerchant(api.runtime));
    const [known, unknown] = [await start(program, owner.email, 'Mallory'), await start(program, newAddress(), 'Mallory')];
    expect([known.status, Object.keys(known.data)]).toEqual([unknown.status, Object.keys(unknown.data)]);
    const mails = [await proofOf(known.data.id), await proofOf(unknown.data.id)];
    const [one, other] = mails.map(({ text, token, code }) =>
      text
        .replace(token, '')
        .replace(code, '')
        .replaceAll(/\d\d:\d\d/g, '')
        .replace(/unsubscribe\/\S+/, 'unsubscribe/'),
    );
    expect(one).toBe(other);
    expect(one).not.toContain('Mallory');
    await byLink(mails[0]?.token ?? '');
    expect(await accountsOf(owner.email)).toEqual([
      { kind: 'person', name: 'Grace Holt' },
      { kind: 'profile', name: 'Mallory' },
    ]);
  });

  it('that asks twice and proves both at once is one person with one profile', async () => {
    const program = await makePublished();
    const email = newAddress();
    const proofs = await Promise.all([1, 2].map(async () => proofOf((await start(program, email)).data.id)));
    const sessions = await Promise.all(proofs.map(({ token }) => byLink(token)));
    expect(sessions.map(({ status }) => status)).toEqual([201, 201]);
    expect((await accountsOf(email)).map(({ kind }) => kind)).toEqual(['person', 'profile']);
  });

  it('that was erased before it was proved has left no request behind', async () => {
    const program = await makePublished();
    const email = newAddress();
    const { data } = await start(program, email);
    const { token } = await proofOf(data.id);
    await erasePerson(api.runtime.context(system), { email });
    expectRejected(await byLink(token));
    expect(await accountsOf(email)).toEqual([]);
  });
});

describe('a link or a code', () => {
  it('works once, also for two at the same time', async () => {
    const program = await makePublished();
    const { data } = await start(program, newAddress());
    const { token, code } = await proofOf(data.id);
    const both = await Promise.all([byLink(token), byCode(data.id, code)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    expectRejected(await byLink(token));
    expectRejected(await byCode(data.id, code));
  });

  it('ends after 15 minutes, and after five wrong codes', async () => {
    const program = await makePublished();
    const late = (await start(program, newAddress())).data.id;
    const { token } = await proofOf(late);
    await execute(em(), sql`update sign_in set expires_at = now() - interval '1 second' where id = ${late}::uuid`);
    expectRejected(await byLink(token));
    const { data } = await start(program, newAddress());
    const { code } = await proofOf(data.id);
    const wrong = code === '000 000' ? '000 001' : '000 000';
    for (let n = 0; n < 5; n++) expectRejected(await byCode(data.id, wrong));
    expectRejected(await byCode(data.id, code));
  });

  it('of a sign-in makes no account, and one for joining is no sign-in', async () => {
    const program = await makePublished();
    const owner = await makePerson(api, await makeMerchant(api.runtime));
    const signIn = await callAs(api, anybody, 'startSignIn', { body: { email: owner.email } });
    const ofSignIn = await proofOf(signIn.data.id);
    expectRejected(await byLink(ofSignIn.token));
    expectRejected(await byCode(signIn.data.id, ofSignIn.code));
    const joining = await start(program, owner.email);
    const ofJoining = await proofOf(joining.data.id);
    expectRejected(await callAs(api, anybody, 'signIn', { body: { token: ofJoining.token } }));
    expectRejected(await callAs(api, anybody, 'signInByCode', { body: { signInId: joining.data.id, code: ofJoining.code } }));
    expect((await accountsOf(owner.email)).map(({ kind }) => kind)).toEqual(['person']);
  });

  it('is limited with sign-ins: five mails of an address to a mailbox, and 20 requests of an address', async () => {
    const program = await makePublished();
    const email = newAddress();
    const from = '198.51.101.7';
    for (let n = 0; n < 3; n++) await callAs(api, anybody, 'startSignIn', { body: { email } }, from);
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await start(program, email, 'Ada Byron', from)).data.id);
    const mails = await Promise.all(ids.map((id) => mailedProof(api, id)));
    expect(mails.map((mail) => mail !== null)).toEqual([true, true, false]);
    const unsent = await firstRow(em(), sql`select email, name from sign_in where id = ${ids[2] ?? ''}::uuid`);
    expect(unsent).toEqual({ email: null, name: null });
    const address = `198.51.100.${Math.floor(Math.random() * 250)}`;
    for (let n = 0; n < 20; n++) expect((await start(program, newAddress(), 'Ada', address)).status).toBe(201);
    expect(await start(program, newAddress(), 'Ada', address)).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
  });
});

describe('joining', () => {
  it('stores the accepted terms with their time, and the merchant sees them', async () => {
    const program = await makePublished({ termsUrl: 'https://acme.example/terms' });
    const joiner = await signUp(program);
    const termsVersion = await termsVersionOf(program);
    const joined = await join(program, joiner, { message: 'I write.' });
    expect(joined).toMatchObject({ status: 201, data: { status: 'auto_approved', programId: program.programId } });
    const { data } = await api.call('GET', `/applications/${joined.data.applicationId}`, { key: program.key });
    expect(data).toMatchObject({ source: 'browser', status: 'approved', email: joiner.email, message: 'I write.' });
    expect(data.acceptedTerms).toEqual({
      version: termsVersion,
      acceptedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      termsUrl: 'https://acme.example/terms',
      commissionType: 'recurring',
      commissionPercent: 20,
      commissionLimitMonths: null,
      commissionHoldDays: 0,
      currency: 'usd',
    });
  });

  it('is an application where the merchant decides', async () => {
    const program = await makePublished({ autoApproveAffiliates: false });
    const joiner = await signUp(program);
    expect(await join(program, joiner)).toMatchObject({ status: 201, data: { status: 'pending' } });
    expect(await join(program, joiner)).toMatchObject({ status: 409, error: { details: { reason: 'APPLICATION_PENDING' } } });
  });

  it('needs the terms of now', async () => {
    const program = await makePublished();
    const joiner = await signUp(program);
    const termsVersion = await termsVersionOf(program);
    await api.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: { commissionPercent: 10 } });
    expect(await join(program, joiner, { termsVersion })).toMatchObject({
      status: 409,
      error: { details: { reason: 'TERMS_CHANGED' } },
    });
    expect((await join(program, joiner)).status).toBe(201);
  });

  it('answers the fields of the program, which the merchant sees as they were asked', async () => {
    const applicationFields = [
      { label: 'Where do you publish?', isRequired: true },
      { label: 'Anything else?', isRequired: false },
    ];
    const program = await makePublished({ applicationFields });
    const joiner = await signUp(program);
    for (const answers of [undefined, [], [''], ['', 'No']])
      expect(await join(program, joiner, answers ? { answers } : {})).toMatchObject({
        status: 422,
        error: { details: { issues: [expect.objectContaining({ path: 'answers.0' })] } },
      });
    const termsVersion = await termsVersionOf(program);
    const changed = [{ label: 'What do you publish?', isRequired: true }];
    await api.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: { applicationFields: changed } });
    const answers = ['https://blog.example'];
    expect(await join(program, joiner, { termsVersion, answers })).toMatchObject({
      status: 409,
      error: { details: { reason: 'TERMS_CHANGED' } },
    });
    const { data } = await join(program, joiner, { answers });
    const shown = async () => (await api.call('GET', `/applications/${data.applicationId}`, { key: program.key })).data;
    expect(await shown()).toMatchObject({ answers: [{ label: 'What do you publish?', answer: answers[0] }] });
    await erasePerson(api.runtime.context(system), { email: joiner.email });
    expect(await shown()).toMatchObject({ answers: [] });
  });

  it('by two requests at once makes one membership', async () => {
    const program = await makePublished();
    const joiner = await signUp(program);
    const both = await Promise.all([join(program, joiner), join(program, joiner)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)?.error?.details).toMatchObject({ reason: 'ALREADY_MEMBER' });
    const made = await rows(em(), sql`select id from affiliate where profile_id = ${joiner.profileId}::uuid`);
    expect(made).toHaveLength(1);
  });

  it('by somebody whom the merchant added is an act of their own, with the terms', async () => {
    const program = await makePublished();
    const email = newAddress();
    const added = await api.call('POST', '/affiliates', { key: program.key, body: { programId: program.programId, email } });
    expect(added.status).toBe(201);
    const joiner = await signUp(program, email);
    const joined = await join(program, joiner);
    expect(joined).toMatchObject({ status: 201, data: { status: 'auto_approved', affiliateId: added.data.id } });
    const { data } = await api.call('GET', `/applications/${joined.data.applicationId}`, { key: program.key });
    expect(data.acceptedTerms).toMatchObject({ version: await termsVersionOf(program) });
  });

  it.each([
    ['paused', { status: 'paused' }],
    ['by invite only', { applicationAccess: 'invite_only' }],
  ])('is not possible while the program is %s', async (_how, change) => {
    const program = await makePublished();
    const joiner = await signUp(program);
    await api.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: change });
    const shown = await callAs(api, anybody, 'getProgramToJoin', { params: { portalSlug: program.portalSlug } });
    expect(shown.data.isOpen).toBe(false);
    for (const response of [await start(program, newAddress()), await join(program, joiner)])
      expect(response).toMatchObject({ status: 409, error: { details: { reason: 'PROGRAM_INACTIVE' } } });
  });

  it('finds no program that is archived, or has no portal slug', async () => {
    const program = await makePublished();
    await api.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: { status: 'archived' } });
    for (const portalSlug of [program.portalSlug, `none-${unique()}`])
      expect(await callAs(api, anybody, 'getProgramToJoin', { params: { portalSlug } })).toMatchObject({ status: 404 });
  });

  it('is for affiliates only', async () => {
    const program = await makePublished();
    const owner = await makePerson(api, program);
    expect(
      await callAs(api, anybody, 'joinProgram', {
        params: { portalSlug: program.portalSlug },
        body: { termsVersion: await termsVersionOf(program) },
      }),
    ).toMatchObject({ status: 401 });
    expect(await join(program, owner)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  });
});

describe('claiming an invite', () => {
  const makeInvited = async (more: Record<string, unknown> = {}) => {
    const program = await makePublished({ termsUrl: 'https://acme.example/terms', applicationAccess: 'invite_only', ...more });
    const body = { isPublic: true, skipOnboarding: true };
    const { token } = (await api.call('POST', `/programs/${program.programId}/invites`, { key: program.key, body })).data;
    const started = await callAs(api, anybody, 'startJoiningByInvite', {
      params: { token },
      body: { name: 'Ada Byron', email: newAddress() },
    });
    const session = await byLink((await proofOf(started.data.id)).token);
    const person = await signedIn(api, session.data.token);
    if (!person?.affiliate) throw new Error('not signed in as an affiliate');
    const { actor } = person.affiliate;
    const shown = async () => (await callAs(api, actor, 'getInvitedProgram', { params: { token } })).data;
    const accept = (termsVersion: string) => callAs(api, actor, 'acceptInvite', { params: { token }, body: { termsVersion } });
    const stored = async (id: string) => (await api.call('GET', `/applications/${id}`, { key: program.key })).data.acceptedTerms;
    return { program, token, actor, shown, accept, stored };
  };

  it('stores the accepted terms with their time, as the page of the program does, also after a second claim', async () => {
    const { program, shown, accept, stored } = await makeInvited();
    const { termsVersion } = await shown();
    expect(termsVersion).toBe(await termsVersionOf(program));
    const claimed = await accept(termsVersion);
    expect(claimed).toMatchObject({ status: 201, data: { status: 'auto_approved', programId: program.programId } });
    const terms = await stored(claimed.data.applicationId);
    expect(terms).toMatchObject({
      version: termsVersion,
      acceptedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      termsUrl: 'https://acme.example/terms',
      commissionPercent: 20,
    });
    await api.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: { commissionPercent: 5 } });
    expect(await accept(termsVersion)).toMatchObject({ status: 201, data: { applicationId: claimed.data.applicationId } });
    expect(await stored(claimed.data.applicationId)).toEqual(terms);
  });

  it('needs the terms of now, and takes no use of the invite without them', async () => {
    const { program, token, shown, accept } = await makeInvited();
    const { termsVersion } = await shown();
    await api.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: { commissionPercent: 10 } });
    for (const version of [termsVersion, ''])
      expect(await accept(version)).toMatchObject({ status: 409, error: { details: { reason: 'TERMS_CHANGED' } } });
    const [invite] = (await api.call('GET', `/programs/${program.programId}/invites`, { key: program.key })).data;
    expect([invite.token, invite.usageCount]).toEqual([token, 0]);
    expect((await accept((await shown()).termsVersion)).status).toBe(201);
  });

  it('by somebody whom the merchant added stores the terms with what began the membership', async () => {
    const { program, actor, shown, accept, stored } = await makeInvited();
    const profile = await firstRow(
      em(),
      sql<{ email: string }>`select email from affiliate_profile where id = ${actor.ownerId}::uuid`,
    );
    const body = { programId: program.programId, email: profile?.email };
    const added = await api.call('POST', '/affiliates', { key: program.key, body });
    const { termsVersion } = await shown();
    const claimed = await accept(termsVersion);
    expect(claimed).toMatchObject({ status: 201, data: { affiliateId: added.data.id } });
    expect(await stored(claimed.data.applicationId)).toMatchObject({ version: termsVersion });
  });

  it('is for affiliates, and shows no terms of an invite that is over', async () => {
    const { program, token, actor } = await makeInvited();
    const owner = await makePerson(api, program);
    const params = { token };
    expect(await callAs(api, anybody, 'getInvitedProgram', { params })).toMatchObject({ status: 401 });
    expect(await callAs(api, owner.actor, 'acceptInvite', { params, body: { termsVersion: 'x' } })).toMatchObject({
      status: 403,
    });
    await api.call('PATCH', `/programs/${program.programId}`, { key: program.key, body: { status: 'archived' } });
    expect(await callAs(api, actor, 'getInvitedProgram', { params })).toMatchObject({ status: 404 });
    expect(await callAs(api, actor, 'acceptInvite', { params, body: { termsVersion: 'x' } })).toMatchObject({
      error: { details: { reason: 'PROGRAM_INACTIVE' } },
    });
  });
});
