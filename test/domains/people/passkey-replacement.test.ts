import { MERCHANT_SCOPES } from '../../../src/contracts/scopes.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { createPersonInvite, finishPasskeyReplacements, replacePasskeys } from '../../../src/domains/people/index.ts';
import { after, DAY_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { firstRow, flushPending, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { actorOf, forgetProof, mailCheck, registerPasskey, signCheck, signInWith } from '../../support/passkeys.ts';
import { callAs, mailedProof, makeCompany, makePerson, signedIn, type TestPerson, tokenIn } from '../../support/people.ts';
import { mailsAbout } from '../notifications/support.ts';

const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000' });
const system = { kind: 'system', name: 'test' } as const;
const operator = { kind: 'system', name: 'operator' } as const;
const anybody = { kind: 'anonymous' } as const;

type Company = Awaited<ReturnType<typeof makeCompany>>;

/** An owner, and a person of the same company with a passkey. */
const makeLoser = async (role: 'owner' | 'finance' = 'finance') => {
  const company = await makeCompany(api);
  const person = await makePerson(api, { merchantId: company.merchantId, role });
  const { device } = await registerPasskey(api, person);
  return { ...company, person, device };
};

const ofPerson = ({ personId }: Pick<TestPerson, 'personId'>) => ({ params: { id: personId } });

const start = ({ owner }: Pick<Company, 'owner'>, person: Pick<TestPerson, 'personId'>) =>
  callAs(api, owner.actor, 'startPasskeyReplacement', ofPerson(person));

/** As a worker does, so many milliseconds later. */
const finishAfter = (ms: number) => {
  const ctx = api.runtime.context(system);
  return finishPasskeyReplacements({ ...ctx, clock: { now: () => after(new Date(), ms) } });
};

const replacementOf = (personId: string) =>
  firstRow(
    api.runtime.context(system).em,
    sql<{ id: string; status: string }>`select id, status from passkey_replacement where person_id = ${personId}::uuid
      order by created_at desc limit 1`,
  );

const livePasskeys = async (personId: string): Promise<number> =>
  (
    await firstRow(
      api.runtime.context(system).em,
      sql<{ n: number }>`select count(*)::int as n from passkey where person_id = ${personId}::uuid and deleted_at is null`,
    )
  )?.n ?? 0;

/** The token of the link that was mailed. */
const mailedToken = async (personId: string): Promise<string> => {
  const { id = '' } = (await replacementOf(personId)) ?? {};
  const [mail] = await mailsAbout(api.runtime, id);
  return /keep-passkeys\?token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
};

const auditOf = async ({ owner }: Pick<Company, 'owner'>, personId: string) => {
  const { data } = await callAs(api, owner.actor, 'listAuditLog', { query: { resourceId: personId } });
  return data.filter(({ action }) => action.includes('passkey'));
};

const signInByMail = async ({ email }: Pick<TestPerson, 'email'>): Promise<string> => {
  const { data } = await callAs(api, anybody, 'startSignIn', { body: { email } });
  const { token } = (await mailedProof(api, data.id)) ?? { token: '' };
  return (await callAs(api, anybody, 'signIn', { body: { token } })).data.token;
};

describe('a replacement', () => {
  it('tells the person at once, and after 24 hours the first passkey is added again with a mailed code', async () => {
    const of = await makeLoser();
    const { owner, person, device } = of;
    const started = await start(of, person);
    expect(started).toMatchObject({ status: 200, data: { personId: person.personId } });
    const { id = '' } = (await replacementOf(person.personId)) ?? {};
    const [mail] = await mailsAbout(api.runtime, id);
    expect(mail).toMatchObject({ to: person.email, subject: 'Your passkeys will be removed' });
    expect(mail?.text).toContain('An owner of Company');
    const told = sql<{
      n: number;
    }>`select count(*)::int as n from mail where kind = 'account_changed' and merchant_id = ${of.merchantId}::uuid`;
    expect(await firstRow(api.runtime.context(system).em, told)).toEqual({ n: 1 });
    expect((await signedIn(api, person.token))?.passkeysEndAt?.toISOString()).toBe(started.data.dueAt);

    await finishAfter(DAY_MS - MINUTE_MS);
    expect([await livePasskeys(person.personId), (await replacementOf(person.personId))?.status]).toEqual([1, 'pending']);
    await finishAfter(DAY_MS + MINUTE_MS);
    expect([await livePasskeys(person.personId), (await replacementOf(person.personId))?.status]).toEqual([0, 'done']);
    expect((await mailsAbout(api.runtime, id)).map(({ subject }) => subject)).toContain('Your passkeys were removed');
    expect(await signedIn(api, person.token)).toBeNull();
    expect(await signInWith(api, device)).toMatchObject({ status: 401 });

    const again = { ...person, token: await signInByMail(person) };
    await forgetProof(api, person);
    expect(await callAs(api, await actorOf(api, again), 'startPasskeyRegistration', {})).toMatchObject({
      status: 403,
      error: { details: { needs: 'code', hasPasskey: false } },
    });
    await (await mailCheck(api, again)).confirm();
    const added = await registerPasskey(api, again);
    expect(added.response.status).toBe(201);
    expect((await signInWith(api, added.device)).status).toBe(201);
    expect((await auditOf(of, person.personId)).map(({ action, actor }) => [action, actor])).toEqual([
      ['person.passkeys_replaced', 'system:test'],
      ['person.passkey_replacement_requested', `person:${owner.personId}`],
    ]);
  });

  it('that was asked for twice does not begin anew, and is one mail', async () => {
    const of = await makeLoser();
    const both = await Promise.all([start(of, of.person), start(of, of.person)]);
    const third = await start(of, of.person);
    expect(new Set([...both, third].map(({ data }) => data.dueAt))).toEqual(new Set([third.data.dueAt]));
    const { id = '' } = (await replacementOf(of.person.personId)) ?? {};
    expect(await mailsAbout(api.runtime, id)).toHaveLength(1);
  });

  it('needs a fresh passkey of an owner, and a passkey that can be lost', async () => {
    const of = await makeLoser();
    const { owner, person, merchantId } = of;
    await forgetProof(api, owner);
    const stale = await actorOf(api, owner);
    expect(await callAs(api, stale, 'startPasskeyReplacement', ofPerson(person))).toMatchObject({
      status: 403,
      error: { details: { reason: 'FRESH_CHECK_REQUIRED', needs: 'passkey' } },
    });
    const manager = await makePerson(api, { merchantId, role: 'manager' });
    expect(await callAs(api, manager.actor, 'startPasskeyReplacement', ofPerson(person))).toMatchObject({
      error: { code: 'INSUFFICIENT_SCOPE' },
    });
    const ofKey = { kind: 'key', keyId: of.keyId, keyType: 'merchant', ownerId: merchantId, scopes: MERCHANT_SCOPES } as const;
    for (const id of ['startPasskeyReplacement', 'cancelPasskeyReplacement'] as const)
      expect(await callAs(api, ofKey, id, ofPerson(person))).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
    expect(await start(of, manager)).toMatchObject({ status: 409, error: { details: { reason: 'NO_PASSKEY' } } });
    expect(await start(await makeCompany(api), person)).toMatchObject({ status: 404 });
    expect(await replacementOf(person.personId)).toBeNull();
  });

  it('is asked for three times a day at most', async () => {
    const of = await makeLoser();
    for (let n = 0; n < 3; n++) {
      expect((await start(of, of.person)).status).toBe(200);
      await callAs(api, of.person.actor, 'keepPasskeys', {});
    }
    expect(await start(of, of.person)).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
  });
});

describe('the person keeps their passkeys', () => {
  const ways: [string, (of: Awaited<ReturnType<typeof makeLoser>>) => Promise<{ status: number }>, string][] = [
    [
      'with the link of the mail',
      async ({ person }) =>
        callAs(api, anybody, 'stopPasskeyReplacement', { body: { token: await mailedToken(person.personId) } }),
      'link',
    ],
    ['by signing in with one', ({ device }) => signInWith(api, device), 'passkey'],
    ['by a fresh check with one', async ({ person, device }) => (await signCheck(api, person, device)).confirm(), 'passkey'],
    ['by adding another', async ({ person }) => (await registerPasskey(api, person)).response, 'passkey'],
    [
      'by saying so when they signed in by mail',
      async ({ person }) => callAs(api, await actorOf(api, { token: await signInByMail(person) }), 'keepPasskeys', {}),
      'person',
    ],
    [
      'when the owner thinks again',
      ({ owner, person }) => callAs(api, owner.actor, 'cancelPasskeyReplacement', ofPerson(person)),
      'owner',
    ],
  ];

  it.each(ways)('%s', async (_how, keep, stoppedBy) => {
    const of = await makeLoser();
    await start(of, of.person);
    const before = await livePasskeys(of.person.personId);
    expect((await keep(of)).status).toBeLessThan(300);
    await finishAfter(DAY_MS + MINUTE_MS);
    expect((await replacementOf(of.person.personId))?.status).toBe('stopped');
    expect(await livePasskeys(of.person.personId)).toBeGreaterThanOrEqual(before);
    expect(await signedIn(api, of.person.token)).toMatchObject({ passkeysEndAt: null });
    expect((await auditOf(of, of.person.personId))[0]).toMatchObject({
      action: 'person.passkey_replacement_stopped',
      changes: [{ field: 'stoppedBy', new: stoppedBy }],
    });
    const { data } = await callAs(api, of.owner.actor, 'getPasskeyReplacement', ofPerson(of.person));
    expect(data).toEqual({ personId: of.person.personId, dueAt: null });
  });

  it('once: a link that has ended, or is none, stops nothing', async () => {
    const of = await makeLoser();
    await start(of, of.person);
    const token = await mailedToken(of.person.personId);
    const stop = (given: string) => callAs(api, anybody, 'stopPasskeyReplacement', { body: { token: given } });
    expect((await Promise.all([stop(token), stop(token)])).map(({ status }) => status).toSorted()).toEqual([200, 404]);
    expect((await start(of, of.person)).status).toBe(200);
    for (const given of [token, 'x', '']) expect((await stop(given)).status).toBe(404);
    await finishAfter(DAY_MS + MINUTE_MS);
    expect((await replacementOf(of.person.personId))?.status).toBe('done');
    expect((await stop(await mailedToken(of.person.personId))).status).toBe(404);
  });

  it('without a replacement, nothing changes', async () => {
    const { person } = await makeLoser();
    expect(await callAs(api, person.actor, 'keepPasskeys', {})).toMatchObject({ status: 200, data: { success: true } });
    expect(await replacementOf(person.personId)).toBeNull();
  });
});

describe('somebody who belongs to others too', () => {
  const OPERATOR_NEEDED = { status: 409, error: { details: { reason: 'OPERATOR_NEEDED' } } };
  const byOperator = ({ email }: Pick<TestPerson, 'email'>, ownerId: string) =>
    replacePasskeys(api.runtime.context(operator), { email, ownerId });

  it('is a matter of the operator, whom no owner overrules', async () => {
    const of = await makeLoser();
    const other = await makeCompany(api);
    const { owner, person, merchantId } = of;
    await makePerson(api, { merchantId: other.merchantId, role: 'viewer', email: person.email });
    expect(await start(of, person)).toMatchObject(OPERATOR_NEEDED);
    expect(await start(other, person)).toMatchObject(OPERATOR_NEEDED);
    await byOperator(person, merchantId);
    const { id = '' } = (await replacementOf(person.personId)) ?? {};
    expect((await mailsAbout(api.runtime, id))[0]?.text).toContain('The operator of this server');
    const cancelled = await callAs(api, owner.actor, 'cancelPasskeyReplacement', ofPerson(person));
    expect(cancelled.data.dueAt).not.toBeNull();
    await finishAfter(DAY_MS + MINUTE_MS);
    expect([await livePasskeys(person.personId), (await replacementOf(person.personId))?.status]).toEqual([0, 'done']);
  });

  it("also after an owner asked: the request is the operator's from then on, at the same time", async () => {
    const of = await makeLoser();
    const { owner, person, merchantId } = of;
    const { dueAt } = (await start(of, person)).data;
    const taken = await byOperator(person, merchantId);
    expect(taken.dueAt.toISOString()).toBe(dueAt);
    expect((await byOperator(person, merchantId)).dueAt.toISOString()).toBe(dueAt);
    const cancelled = await callAs(api, owner.actor, 'cancelPasskeyReplacement', ofPerson(person));
    expect(cancelled.data.dueAt).toBe(dueAt);
    const other = await makeMerchant(api.runtime);
    await makePerson(api, { merchantId: other.merchantId, role: 'viewer', email: person.email });
    await finishAfter(DAY_MS + MINUTE_MS);
    expect([await livePasskeys(person.personId), (await replacementOf(person.personId))?.status]).toEqual([0, 'done']);
    const asked = (await auditOf(of, person.personId)).filter(({ action }) => action.endsWith('_requested'));
    expect(asked.map(({ actor }) => actor)).toEqual(['system:operator', `person:${owner.personId}`]);
  });

  it('also after owners used up the requests of a day', async () => {
    const of = await makeLoser();
    for (let n = 0; n < 3; n++) {
      await start(of, of.person);
      await callAs(api, of.owner.actor, 'cancelPasskeyReplacement', ofPerson(of.person));
    }
    expect((await start(of, of.person)).status).toBe(429);
    await byOperator(of.person, of.merchantId);
    expect((await replacementOf(of.person.personId))?.status).toBe('pending');
  });

  it('also as an affiliate, whose audit log the operator names', async () => {
    const of = await makeLoser();
    const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
    const { profileId } = await makeAffiliate(api.runtime, programId);
    await api.runtime
      .context(system)
      .em.execute('update affiliate_profile set email = ? where id = ?', [of.person.email, profileId]);
    expect(await start(of, of.person)).toMatchObject(OPERATOR_NEEDED);
    const { personId } = await byOperator(of.person, profileId);
    const entry = await firstRow(
      api.runtime.context(system).em,
      sql<{ owner: string }>`select owner_id as owner from audit_log
        where resource_id = ${personId}::uuid and action = 'person.passkey_replacement_requested'`,
    );
    expect(entry).toEqual({ owner: profileId });
  });

  it('since the owner asked keeps their passkeys', async () => {
    const of = await makeLoser();
    await start(of, of.person);
    const other = await makeMerchant(api.runtime);
    await makePerson(api, { merchantId: other.merchantId, role: 'viewer', email: of.person.email });
    await finishAfter(DAY_MS + MINUTE_MS);
    expect([await livePasskeys(of.person.personId), (await replacementOf(of.person.personId))?.status]).toEqual([1, 'stopped']);
  });

  it('is nobody the operator can find by an unknown address', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    await expect(byOperator({ email: `nobody-${unique()}@example.com` }, merchantId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

it('a person who is removed keeps their passkeys, also when they are invited again', async () => {
  const of = await makeLoser();
  const { owner, person, merchantId } = of;
  await start(of, person);
  await callAs(api, owner.actor, 'removePerson', { ...ofPerson(person), body: {} });
  expect((await replacementOf(person.personId))?.status).toBe('stopped');
  expect((await start(of, person)).status).toBe(404);
  const { url } = await createPersonInvite(api.runtime.context(system), { merchantId, email: person.email, role: 'viewer' });
  await callAs(api, anybody, 'acceptPersonInvite', { body: { token: tokenIn(url), name: 'Grace' } });
  await finishAfter(DAY_MS + MINUTE_MS);
  expect(await livePasskeys(person.personId)).toBe(1);
});

it('a person who is erased has no replacement left', async () => {
  const of = await makeLoser();
  await start(of, of.person);
  await erasePerson(api.runtime.context(system), { email: of.person.email });
  expect((await replacementOf(of.person.personId))?.status).toBe('stopped');
});

describe('at the same time', () => {
  it('adding a passkey and the end of the old ones do not mix', async () => {
    const of = await makeLoser();
    await start(of, of.person);
    const [added] = await Promise.all([registerPasskey(api, of.person).catch(() => null), finishAfter(DAY_MS + MINUTE_MS)]);
    const state = [(await replacementOf(of.person.personId))?.status, await livePasskeys(of.person.personId)];
    expect(state).toEqual(added?.response.status === 201 ? ['stopped', 2] : ['done', 0]);
  });

  it('using a passkey and the end of it do not mix, and two workers end it once', async () => {
    const of = await makeLoser();
    await start(of, of.person);
    const [used] = await Promise.all([
      signInWith(api, of.device),
      finishAfter(DAY_MS + MINUTE_MS),
      finishAfter(DAY_MS + MINUTE_MS),
    ]);
    const state = [(await replacementOf(of.person.personId))?.status, await livePasskeys(of.person.personId)];
    expect([used.status, ...state]).toEqual(used.status === 201 ? [201, 'stopped', 1] : [401, 'done', 0]);
    expect(await auditOf(of, of.person.personId)).toHaveLength(2);
  });
});

it('a process that is killed before the commit has ended nothing, and the next one does', async () => {
  const of = await makeLoser();
  await start(of, of.person);
  const killed = inTransaction(api.runtime.context(system), async (ctx) => {
    await finishPasskeyReplacements({ ...ctx, clock: { now: () => after(new Date(), DAY_MS + MINUTE_MS) } });
    await flushPending(ctx.em);
    throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  expect([await livePasskeys(of.person.personId), (await replacementOf(of.person.personId))?.status]).toEqual([1, 'pending']);
  await finishAfter(DAY_MS + MINUTE_MS);
  expect([await livePasskeys(of.person.personId), (await replacementOf(of.person.personId))?.status]).toEqual([0, 'done']);
});
