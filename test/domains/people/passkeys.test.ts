import { confirmByPasskey } from '../../../src/domains/people/use-cases/passkeys.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, flushPending, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import {
  actorOf as actorOfSession,
  forgetProof,
  mailCheck,
  registerPasskey,
  signCheck,
  type TestAuthenticator,
} from '../../support/passkeys.ts';
import { callAs, makePerson, type TestPerson } from '../../support/people.ts';
import { mailsAbout } from '../notifications/support.ts';

const ORIGIN = 'http://localhost:3000';
const api = useOwnApi({ PUBLIC_URL: ORIGIN });
const system = { kind: 'system', name: 'test' } as const;
const anybody = { kind: 'anonymous' } as const;

const actorOf = (person: Pick<TestPerson, 'token'>) => actorOfSession(api, person);

const makeStale = async () => makePerson(api, { ...(await makeMerchant(api.runtime)), isFresh: false });

const register = (person: TestPerson) => registerPasskey(api, person);

/** An owner with a passkey, whose last fresh check was long ago. */
const makeWithPasskey = async () => {
  const person = await makePerson(api, await makeMerchant(api.runtime));
  const { device } = await register(person);
  await forget(person);
  return { person, device };
};

const forget = (person: TestPerson, minutes?: number) => forgetProof(api, person, minutes);

const makeKey = async (person: TestPerson) =>
  callAs(api, await actorOf(person), 'createApiKey', { body: { name: 'Shop', preset: 'readonly' } });
const invite = async (person: TestPerson) =>
  callAs(api, await actorOf(person), 'invitePerson', { body: { email: `x-${unique()}@acme.example`, role: 'viewer' } });

const expectNeeded = (response: unknown, needs: 'passkey' | 'code', hasPasskey: boolean) =>
  expect(response).toMatchObject({
    status: 403,
    error: { code: 'FORBIDDEN', details: { reason: 'FRESH_CHECK_REQUIRED', needs, hasPasskey } },
  });
const expectRejected = (response: unknown) => expect(response).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });

/** Proves by a new mailed code. */
const proveByCode = (person: TestPerson) => mailCheck(api, person);

const proveByPasskey = (person: TestPerson, device: TestAuthenticator, origin?: string) => signCheck(api, person, device, origin);

describe('a fresh check', () => {
  it('of somebody without a passkey is a new mailed code, but for what needs a passkey', async () => {
    const person = await makeStale();
    expectNeeded(await makeKey(person), 'code', false);
    expectNeeded(await invite(person), 'passkey', false);
    const { confirm } = await proveByCode(person);
    expect((await confirm(person)).status).toBe(200);
    expect((await makeKey(person)).status).toBe(201);
    expectNeeded(await invite(person), 'passkey', false);
    expectRejected(await confirm(person));
  });

  it('has no effect: the same request with the same key works after it', async () => {
    const person = await makeStale();
    const body = { name: 'Once', preset: 'readonly' } as const;
    const idempotencyKey = unique();
    const send = async () => callAs(api, await actorOf(person), 'createApiKey', { body, idempotencyKey });
    expectNeeded(await send(), 'code', false);
    await (await proveByCode(person)).confirm(person);
    const first = await send();
    expect([first.status, await send()]).toEqual([201, first]);
    await forget(person);
    expectNeeded(await send(), 'code', false);
  });

  it('by a code is not for a code of somebody else', async () => {
    const [person, other] = [await makeStale(), await makeStale()];
    const { confirm } = await proveByCode(other);
    expectRejected(await confirm(person));
    expectNeeded(await makeKey(person), 'code', false);
  });

  it('of somebody with a passkey is that passkey: no code replaces it', async () => {
    const { person, device } = await makeWithPasskey();
    expectNeeded(await makeKey(person), 'passkey', true);
    await (await proveByCode(person)).confirm(person);
    expectNeeded(await makeKey(person), 'passkey', true);
    const { confirm } = await proveByPasskey(person, device);
    expect((await confirm()).status).toBe(200);
    expect([(await makeKey(person)).status, (await invite(person)).status]).toEqual([201, 201]);
  });

  it('lasts for five minutes, in one session', async () => {
    const { person, device } = await makeWithPasskey();
    await (await proveByPasskey(person, device)).confirm();
    await forget(person, 4);
    expect((await makeKey(person)).status).toBe(201);
    const { data } = await callAs(api, anybody, 'startPasskeySignIn', {});
    const other = await callAs(api, anybody, 'signInByPasskey', {
      body: { challengeId: data.challengeId, response: device.get(data.options) },
    });
    await forget(person, 5);
    expectNeeded(await makeKey(person), 'passkey', true);
    expectNeeded(await makeKey({ ...person, token: other.data.token }), 'passkey', true);
  });

  it('is for approval rules, not for other settings of the merchant', async () => {
    const person = await makeStale();
    const update = async (body: object) => callAs(api, await actorOf(person), 'updateMerchant', { body });
    expect((await update({ companyName: 'Acme' })).status).toBe(200);
    for (const body of [{ payoutApprovalThreshold: { usd: 1 } }, { payoutDailyLimit: null }, { detailsCooldownHours: 1 }])
      expectNeeded(await update(body), 'passkey', false);
  });

  it('is for each operation that approves', async () => {
    const actor = await actorOf(await makeStale());
    const input = { params: { id: actor.grantId } };
    for (const id of ['approvePayout', 'approvePayoutRun', 'approvePendingChange', 'approveAdjustment'] as const)
      expectNeeded(await callAs(api, actor, id, input as never), 'passkey', false);
  });
});

describe('a passkey', () => {
  it('is added with a mailed code if it is the first, and with a passkey if not', async () => {
    const person = await makeStale();
    expectNeeded(await callAs(api, await actorOf(person), 'startPasskeyRegistration', {}), 'code', false);
    await (await proveByCode(person)).confirm(person);
    const { response } = await register(person);
    expect(response).toMatchObject({ status: 201, data: { name: 'Laptop' } });
    await forget(person);
    await (await proveByCode(person)).confirm(person);
    expectNeeded(await callAs(api, await actorOf(person), 'startPasskeyRegistration', {}), 'passkey', true);
  });

  it('signs in without an address, and counts as a fresh check', async () => {
    const { person, device } = await makeWithPasskey();
    const { data } = await callAs(api, anybody, 'startPasskeySignIn', {});
    const body = { challengeId: data.challengeId, response: device.get(data.options) };
    const signedIn = await callAs(api, anybody, 'signInByPasskey', { body });
    expect(signedIn.status).toBe(201);
    expect((await makeKey({ ...person, token: signedIn.data.token })).status).toBe(201);
    expectRejected(await callAs(api, anybody, 'signInByPasskey', { body }));
  });

  it('is told to the person by mail when it is added and when it is removed', async () => {
    const person = await makePerson(api, await makeMerchant(api.runtime));
    const { response } = await register(person);
    await callAs(api, await actorOf(person), 'deletePasskey', { params: { id: response.data.id } });
    const mails = await mailsAbout(api.runtime, response.data.id);
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [person.email, 'A passkey was added'],
      [person.email, 'A passkey was removed'],
    ]);
    expect(mails.map(({ text }) => text.includes('Laptop'))).toEqual([true, true]);
  });

  it('that was deleted signs nobody in, and proves nothing', async () => {
    const { person, device } = await makeWithPasskey();
    const { body } = await proveByPasskey(person, device);
    const { data: start } = await callAs(api, anybody, 'startPasskeySignIn', {});
    await (await proveByPasskey(person, device)).confirm();
    const [passkey] = (await callAs(api, await actorOf(person), 'listPasskeys', {})).data;
    const params = { id: passkey?.id ?? '' };
    expect((await callAs(api, await actorOf(person), 'deletePasskey', { params })).status).toBe(200);
    expect((await callAs(api, await actorOf(person), 'deletePasskey', { params })).status).toBe(404);
    expectRejected(await callAs(api, await actorOf(person), 'confirmByPasskey', { body }));
    const response = device.get(start.options);
    expectRejected(await callAs(api, anybody, 'signInByPasskey', { body: { challengeId: start.challengeId, response } }));
  });

  it('of somebody else cannot be listed, deleted or used', async () => {
    const [mine, other] = [await makeWithPasskey(), await makeWithPasskey()];
    const [passkey] = (await callAs(api, await actorOf(other.person), 'listPasskeys', {})).data;
    await (await proveByPasskey(mine.person, mine.device)).confirm();
    const params = { id: passkey?.id ?? '' };
    expect((await callAs(api, await actorOf(mine.person), 'deletePasskey', { params })).status).toBe(404);
    expectRejected(await (await proveByPasskey(mine.person, other.device)).confirm());
    const stolen = await proveByPasskey(other.person, other.device);
    expectRejected(await stolen.confirm(mine.person));
  });

  it('is not accepted from pages of another origin, with another key, or from what is no response', async () => {
    const { person, device } = await makeWithPasskey();
    expectRejected(await (await proveByPasskey(person, device, 'http://127.0.0.1:3000')).confirm());
    expectRejected(await (await proveByPasskey(person, device, 'https://evil.example')).confirm());
    const { body } = await proveByPasskey(person, device);
    for (const response of ['', 'null', '{}', '[]', JSON.stringify({ ...JSON.parse(body.response), response: {} })])
      expectRejected(
        await callAs(api, await actorOf(person), 'confirmByPasskey', { body: { challengeId: body.challengeId, response } }),
      );
    expectNeeded(await makeKey(person), 'passkey', true);
  });
});

describe('a challenge', () => {
  it('is used once, also by two at the same time', async () => {
    const { person, device } = await makeWithPasskey();
    const actor = await actorOf(person);
    const { body } = await proveByPasskey(person, device);
    const both = await Promise.all([1, 2].map(() => callAs(api, actor, 'confirmByPasskey', { body })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    const { data } = await callAs(api, anybody, 'startPasskeySignIn', {});
    const signIn = { challengeId: data.challengeId, response: device.get(data.options) };
    const sessions = await Promise.all([1, 2].map(() => callAs(api, anybody, 'signInByPasskey', { body: signIn })));
    expect(sessions.map(({ status }) => status).toSorted()).toEqual([201, 401]);
  });

  it('makes one passkey', async () => {
    const person = await makePerson(api, await makeMerchant(api.runtime));
    const { body } = await register(person);
    expectRejected(await callAs(api, await actorOf(person), 'registerPasskey', { body }));
    expect((await callAs(api, await actorOf(person), 'listPasskeys', {})).data).toHaveLength(1);
  });

  it('ends after five minutes, and belongs to one purpose and one session', async () => {
    const { person, device } = await makeWithPasskey();
    const late = await proveByPasskey(person, device);
    await execute(
      api.runtime.context(system).em,
      sql`update passkey_challenge set expires_at = now() - interval '1 second' where id = ${late.body.challengeId}::uuid`,
    );
    expectRejected(await late.confirm());
    const { body } = await proveByPasskey(person, device);
    expectRejected(await callAs(api, anybody, 'signInByPasskey', { body }));
    const { data } = await callAs(api, anybody, 'startPasskeySignIn', {});
    const other = { challengeId: data.challengeId, response: device.get(data.options) };
    expectRejected(await callAs(api, await actorOf(person), 'confirmByPasskey', { body: other }));
  });
});

describe('a process that is killed', () => {
  it('before the commit has used nothing', async () => {
    const { person, device } = await makeWithPasskey();
    const { body, confirm } = await proveByPasskey(person, device);
    const killed = inTransaction(api.runtime.context(await actorOf(person)), async (ctx) => {
      await confirmByPasskey(ctx, body);
      await flushPending(ctx.em);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expectNeeded(await makeKey(person), 'passkey', true);
    expect((await confirm()).status).toBe(200);
  });

  it('after the commit has used the challenge, and what the form repeats is rejected once and then not needed', async () => {
    const { person, device } = await makeWithPasskey();
    const { body, confirm } = await proveByPasskey(person, device);
    await confirmByPasskey(api.runtime.context(await actorOf(person)), body);
    expectRejected(await confirm());
    expect((await makeKey(person)).status).toBe(201);
  });
});
