import { createSignInLink, deleteExpiredSignIns } from '../../../src/domains/people/index.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { callAs, mailedProof, makeCompany, makePerson, signedIn, tokenIn } from '../../support/people.ts';

const api = useTestApi();
const system = { kind: 'system', name: 'test' } as const;
const anybody = { kind: 'anonymous' } as const;

const start = (email: string, address?: string) => callAs(api, anybody, 'startSignIn', { body: { email } }, address);

const mailOf = (signInId: string) => mailedProof(api, signInId);

const expectRejected = (response: unknown) => expect(response).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });

describe('a mailed link', () => {
  it('signs in once', async () => {
    const { owner } = await makeCompany(api);
    const { data } = await start(owner.email.toUpperCase());
    const { token } = (await mailOf(data.id)) ?? { token: '' };
    const first = await callAs(api, anybody, 'signIn', { body: { token, device: 'Firefox' } });
    expect(await signedIn(api, first.data.token)).toMatchObject({ personId: owner.personId });
    expectRejected(await callAs(api, anybody, 'signIn', { body: { token } }));
  });

  it('ends after 15 minutes', async () => {
    const { owner } = await makeCompany(api);
    const { data } = await start(owner.email);
    const { token } = (await mailOf(data.id)) ?? { token: '' };
    await execute(
      api.runtime.context(system).em,
      sql`update sign_in set expires_at = now() - interval '1 second' where id = ${data.id}::uuid`,
    );
    expectRejected(await callAs(api, anybody, 'signIn', { body: { token } }));
  });

  it('is not sent to an address that nobody has, and the response is the same', async () => {
    const { owner } = await makeCompany(api);
    const [known, unknown] = [await start(owner.email), await start(`nobody-${unique()}@example.com`)];
    expect(Object.keys(unknown.data)).toEqual(Object.keys(known.data));
    expect(unknown.status).toBe(known.status);
    expect(await mailOf(known.data.id)).not.toBeNull();
    expect(await mailOf(unknown.data.id)).toBeNull();
  });
});

describe('a mailed code', () => {
  it('signs in on another device, once, and the link no longer does', async () => {
    const { owner } = await makeCompany(api);
    const { data } = await start(owner.email);
    const mail = (await mailOf(data.id)) ?? { token: '', code: '' };
    const byCode = () => callAs(api, anybody, 'signInByCode', { body: { signInId: data.id, code: mail.code } });
    expect(await byCode()).toMatchObject({ status: 201 });
    expectRejected(await byCode());
    expectRejected(await callAs(api, anybody, 'signIn', { body: { token: mail.token } }));
  });

  it('has five tries', async () => {
    const { owner } = await makeCompany(api);
    const wrongThen = async (wrong: number) => {
      const { data } = await start(owner.email);
      const { code } = (await mailOf(data.id)) ?? { code: '' };
      const other = code === '000 000' ? '000 001' : '000 000';
      const attempt = (given: string) => callAs(api, anybody, 'signInByCode', { body: { signInId: data.id, code: given } });
      for (let n = 0; n < wrong; n++) expectRejected(await attempt(other));
      return (await attempt(code)).status;
    };
    expect([await wrongThen(4), await wrongThen(5)]).toEqual([201, 401]);
  });

  it('that was guessed at too often leaves its link', async () => {
    const { owner } = await makeCompany(api);
    const { data } = await start(owner.email);
    const { token, code } = (await mailOf(data.id)) ?? { token: '', code: '' };
    await guess(data.id, code, 6);
    expectRejected(await callAs(api, anybody, 'signInByCode', { body: { signInId: data.id, code } }));
    expect(await callAs(api, anybody, 'getSignInLink', { query: { token } })).toMatchObject({ data: { email: owner.email } });
    expect((await callAs(api, anybody, 'signIn', { body: { token } })).status).toBe(201);
  });

  it('is not valid after 30 wrong ones in a day of what the same address asked for; for others it is, and so is the link', async () => {
    const { owner } = await makeCompany(api);
    const [stranger, here] = [newAddress(), newAddress()];
    const wrongAre = (tries: number, address: string) => start(owner.email, address).then(({ data }) => setTries(data.id, tries));
    const codeFrom = async (address: string) => {
      const { data } = await start(owner.email, address);
      const { token, code } = (await mailOf(data.id)) ?? { token: '', code: '' };
      return { token, byCode: (await callAs(api, anybody, 'signInByCode', { body: { signInId: data.id, code } })).status };
    };
    await wrongAre(29, stranger);
    expect((await codeFrom(stranger)).byCode).toBe(201);
    // However often it tries, one address uses up its own share only.
    await wrongAre(900, stranger);
    const { byCode, token } = await codeFrom(stranger);
    expect(byCode).toBe(401);
    expect((await callAs(api, anybody, 'signIn', { body: { token } })).status).toBe(201);
    expect((await codeFrom(here)).byCode).toBe(201);
    for (const tries of [31, 31]) await wrongAre(tries, newAddress());
    const { data: last } = await start(owner.email, newAddress());
    await setTries(last.id, 6);
    expect((await codeFrom(here)).byCode).toBe(201);
    await setTries(last.id, 7);
    expect((await codeFrom(here)).byCode).toBe(401);
  });
});

/** Wrong codes, entered by whoever knows the id of the request. */
const guess = async (signInId: string, code: string, times: number): Promise<void> => {
  const wrong = code === '000 000' ? '000 001' : '000 000';
  for (let n = 0; n < times; n++) expectRejected(await callAs(api, anybody, 'signInByCode', { body: { signInId, code: wrong } }));
};

const setTries = (id: string, tries: number): Promise<number> =>
  execute(api.runtime.context(system).em, sql`update sign_in set tries = ${tries}::int where id = ${id}::uuid`);

let addresses = 0;
/** The address of another person each time. */
const newAddress = (): string => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`;

describe('a stranger who asks for mails to a mailbox', () => {
  const mailsFrom = async (email: string, addresses: readonly string[]) => {
    const found: { hasCode: boolean; token: string }[] = [];
    for (const address of addresses) {
      const mail = await mailOf((await start(email, address)).data.id);
      if (mail) found.push({ hasCode: mail.code !== '', token: mail.token });
    }
    return found;
  };
  const times = (count: number, of: () => string): string[] => Array.from({ length: count }, of);

  it('causes five in 15 minutes, and its owner has five of their own', async () => {
    const { owner } = await makeCompany(api);
    const [stranger, here] = [newAddress(), newAddress()];
    expect(
      await mailsFrom(
        owner.email,
        times(15, () => stranger),
      ),
    ).toHaveLength(5);
    const own = await mailsFrom(owner.email, [here]);
    expect(own).toMatchObject([{ hasCode: true }]);
    expect((await callAs(api, anybody, 'signIn', { body: { token: own[0]?.token ?? '' } })).status).toBe(201);
  });

  it('causes 20 in a day', async () => {
    const { owner } = await makeCompany(api);
    const stranger = newAddress();
    const { em } = api.runtime.context(system);
    let sent = 0;
    for (let n = 0; n < 5; n++) {
      sent += (
        await mailsFrom(
          owner.email,
          times(5, () => stranger),
        )
      ).length;
      await execute(
        em,
        sql`update sign_in set created_at = created_at - interval '16 minutes' where person_id = ${owner.personId}::uuid`,
      );
    }
    expect(sent).toBe(20);
    expect(await mailsFrom(owner.email, [newAddress()])).toHaveLength(1);
  });

  it('with many addresses causes ten with a code, ten with a link only, and leaves ten links of sign-ins from joining', async () => {
    const { owner } = await makeCompany(api);
    const portalSlug = `acme-${unique()}`;
    const { key } = await makeMerchant(api.runtime);
    await makeProgram(api, key, { portalSlug });
    const join = (address: string) =>
      callAs(api, anybody, 'startJoiningProgram', { params: { portalSlug }, body: { email: owner.email, name: 'Ada' } }, address);
    const joinings = await Promise.all(times(12, newAddress).map(join));
    const joined = await Promise.all(joinings.map(({ data }) => mailOf(data.id)));
    expect(joined.filter((mail) => mail !== null)).toHaveLength(10);
    const found = await mailsFrom(owner.email, times(15, newAddress));
    expect(found.map(({ hasCode }) => hasCode)).toEqual(times(10, () => '').map(() => false));
    expect((await callAs(api, anybody, 'signIn', { body: { token: found[9]?.token ?? '' } })).status).toBe(201);
  });

  it('keeps nobody who is signed in from a fresh check, whatever was asked for and guessed at', async () => {
    const { owner } = await makeCompany(api);
    await mailsFrom(owner.email, times(25, newAddress));
    const { data: spoiled } = await start(owner.email, newAddress());
    await setTries(spoiled.id, 1_000);
    for (let n = 0; n < 5; n++) {
      const { data } = await callAs(api, owner.actor, 'startCodeCheck', {});
      const { code } = (await mailOf(data.id)) ?? { code: '' };
      expect((await callAs(api, owner.actor, 'confirmByCode', { body: { signInId: data.id, code } })).status).toBe(200);
    }
    expect(await callAs(api, owner.actor, 'startCodeCheck', {})).toMatchObject({ status: 429 });
    const { owner: other } = await makeCompany(api);
    expect((await callAs(api, other.actor, 'startCodeCheck', {})).status).toBe(201);
    expect(await mailsFrom(other.email, times(5, newAddress))).toHaveLength(5);
  });
});

test('an address is told to wait after 20 requests, and what exceeds a limit has a code, and no person: it cannot be guessed', async () => {
  const { owner } = await makeCompany(api);
  const address = newAddress();
  for (let n = 0; n < 5; n++) await start(owner.email, address);
  const unsent = (await start(owner.email, address)).data.id;
  expect(await mailOf(unsent)).toBeNull();
  const { em } = api.runtime.context(system);
  const row = await firstRow(
    em,
    sql<{ personId: string | null }>`select person_id as "personId" from sign_in where id = ${unsent}::uuid`,
  );
  expect(row).toEqual({ personId: null });
  const statuses = new Set<number>();
  for (let n = 6; n < 20; n++) statuses.add((await start(`nobody-${unique()}@example.com`, address)).status);
  expect([...statuses]).toEqual([201]);
  expect((await start(owner.email, address)).status).toBe(429);
});

test('what ended a day ago is deleted', async () => {
  const ctx = api.runtime.context(system);
  const made = await Promise.all(
    ['1 day 1 minute', '23 hours'].map(async (ended) => {
      const { id } = await createSignInLink(ctx, { email: `nobody-${unique()}@example.com` });
      await execute(ctx.em, sql`update sign_in set expires_at = now() - ${ended}::interval where id = ${id}::uuid`);
      return id;
    }),
  );
  expect(await deleteExpiredSignIns(ctx)).toBeGreaterThanOrEqual(1);
  expect(await rows(ctx.em, sql`select id from sign_in where id = any(${made}::uuid[])`)).toEqual([{ id: made[1] }]);
});

test('an affiliate signs in to their profile, which has no merchant', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const ctx = api.runtime.context(system);
  const profile = await firstRow(
    ctx.em,
    sql<{
      email: string;
      userId: string;
    }>`select email, user_id as "userId" from affiliate_profile where id = ${profileId}::uuid`,
  );
  const { url } = await createSignInLink(ctx, { email: profile?.email ?? '' });
  const started = await callAs(api, anybody, 'signIn', { body: { token: tokenIn(url) } });
  expect(started.data.home).toBe('affiliate');
  expect(await signedIn(api, started.data.token)).toMatchObject({
    personId: profile?.userId,
    merchant: null,
    affiliate: { ownerId: profileId, actor: { keyType: 'affiliate' } },
  });
});

describe('sessions', () => {
  it('are listed, and end when they are revoked', async () => {
    const { owner } = await makeCompany(api);
    const { url } = await createSignInLink(api.runtime.context(system), { email: owner.email });
    const second = await callAs(api, anybody, 'signIn', { body: { token: tokenIn(url), device: 'Firefox' } });
    const { data } = await callAs(api, owner.actor, 'listSessions', {});
    expect(data.map(({ device, isCurrent }) => [device, isCurrent])).toEqual([
      ['Firefox', false],
      [null, true],
    ]);
    const { owner: stranger } = await makeCompany(api);
    const params = { id: data[0]?.id ?? '' };
    expect(await callAs(api, stranger.actor, 'revokeSession', { params })).toMatchObject({ status: 404 });
    expect(await callAs(api, owner.actor, 'revokeSession', { params })).toMatchObject({ status: 200 });
    expect(await signedIn(api, second.data.token)).toBeNull();
    expect(await signedIn(api, owner.token)).not.toBeNull();
  });

  it('end after 12 hours without use, and after 14 days', async () => {
    const { em } = api.runtime.context(system);
    const { owner } = await makeCompany(api);
    const age = (column: string, by: string) =>
      execute(
        em,
        sql`update person_session set ${sql.ref(column)} = now() - ${by}::interval where id = ${owner.actor.sessionId}::uuid`,
      );
    await age('last_seen_at', '11 hours 59 minutes');
    expect(await signedIn(api, owner.token)).not.toBeNull();
    await age('last_seen_at', '12 hours 1 minute');
    expect(await signedIn(api, owner.token)).toBeNull();
    await age('last_seen_at', '0 minutes');
    await age('expires_at', '1 second');
    expect(await signedIn(api, owner.token)).toBeNull();
  });

  it('are stored as a hash only', async () => {
    const { owner } = await makeCompany(api);
    const row = await firstRow(
      api.runtime.context(system).em,
      sql<{ text: string }>`select person_session::text as text from person_session where id = ${owner.actor.sessionId}::uuid`,
    );
    expect(row?.text).toContain(owner.personId);
    expect(row?.text).not.toContain(owner.token);
  });
});

describe('a person of several companies', () => {
  it('acts for the first one until they choose another, in one session only', async () => {
    const [first, second, strange] = [await makeCompany(api), await makeMerchant(api.runtime), await makeCompany(api)];
    const { email, token } = first.owner;
    await makePerson(api, { merchantId: second.merchantId, role: 'viewer', email });
    const { url } = await createSignInLink(api.runtime.context(system), { email });
    const { token: otherToken } = (await callAs(api, anybody, 'signIn', { body: { token: tokenIn(url) } })).data;
    const companies = [
      { merchantId: first.merchantId, role: 'owner' },
      { merchantId: second.merchantId, role: 'viewer' },
    ];
    expect((await callAs(api, first.owner.actor, 'listCompanies', {})).data).toMatchObject([
      { ...companies[0], isCurrent: true },
      { ...companies[1], isCurrent: false },
    ]);
    const choose = (merchantId: string) => callAs(api, first.owner.actor, 'chooseCompany', { body: { merchantId } });
    expect(await choose(strange.merchantId)).toMatchObject({ status: 404 });
    expect(await choose(second.merchantId)).toMatchObject({ status: 200, data: { ...companies[1], isCurrent: true } });
    expect((await signedIn(api, token))?.merchant).toMatchObject({ ownerId: second.merchantId });
    expect((await signedIn(api, otherToken))?.merchant).toMatchObject({ ownerId: first.merchantId });
    // Whoever is removed there goes back to the first one.
    await execute(
      api.runtime.context(system).em,
      sql`update person_role set removed_at = now() where merchant_id = ${second.merchantId}::uuid`,
    );
    expect((await signedIn(api, token))?.merchant).toMatchObject({ ownerId: first.merchantId });
    expect(await choose(second.merchantId)).toMatchObject({ status: 404 });
  });
});
