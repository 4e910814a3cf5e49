import { SCOPES_OF_ROLE } from '../../../src/contracts/people.ts';
import { MERCHANT_SCOPES } from '../../../src/contracts/scopes.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { createPersonInvite } from '../../../src/domains/people/index.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import { callAs, makeCompany, makePerson, signedIn, tokenIn } from '../../support/people.ts';

const api = useOwnApi();
const system = { kind: 'system', name: 'test' } as const;
const anybody = { kind: 'anonymous' } as const;

test('no role has more than a merchant key can hold, and only an owner manages keys and people', () => {
  for (const scopes of Object.values(SCOPES_OF_ROLE)) expect(MERCHANT_SCOPES).toEqual(expect.arrayContaining([...scopes]));
  const holders = Object.entries(SCOPES_OF_ROLE).filter(([, scopes]) => scopes.includes('merchant:manage'));
  expect(holders.map(([role]) => role)).toEqual(['owner']);
  const payers = Object.entries(SCOPES_OF_ROLE).filter(([, scopes]) => scopes.includes('payouts:write'));
  expect(payers.map(([role]) => role)).toEqual(['owner', 'finance']);
});

describe('invites', () => {
  it('lets a person in once, with the role of the invite', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const email = `Grace-${unique()}@Acme.example`;
    const { url } = await createPersonInvite(api.runtime.context(system), { merchantId, email, role: 'finance' });
    const token = tokenIn(url);
    expect(await callAs(api, anybody, 'getPersonInvite', { query: { token } })).toMatchObject({
      data: { email: email.toLowerCase(), role: 'finance', isKnown: false },
    });
    const accepted = await callAs(api, anybody, 'acceptPersonInvite', { body: { token, name: 'Grace Holt' } });
    expect(accepted).toMatchObject({ status: 201, data: { home: 'merchant' } });
    const person = await signedIn(api, accepted.data.token);
    expect(person).toMatchObject({
      name: 'Grace Holt',
      merchant: { ownerId: merchantId, actor: { kind: 'person', scopes: SCOPES_OF_ROLE.finance } },
      affiliate: null,
    });
    const again = await callAs(api, anybody, 'acceptPersonInvite', { body: { token, name: 'Mallory' } });
    expect(again).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });

  it('ends when it expires, is revoked or is replaced', async () => {
    const { merchantId, owner } = await makeCompany(api);
    const invite = (email: string) => createPersonInvite(api.runtime.context(system), { merchantId, email, role: 'viewer' });
    const first = await invite('a@acme.example');
    const second = await invite('a@acme.example');
    const late = await invite('b@acme.example');
    const gone = await invite('c@acme.example');
    const { em } = api.runtime.context(system);
    await execute(em, sql`update person_invite set expires_at = now() - interval '1 second' where id = ${late.invite.id}::uuid`);
    await callAs(api, owner.actor, 'revokePersonInvite', { params: { id: gone.invite.id } });
    const statuses = [first, second, late, gone].map(
      async ({ url }) => (await callAs(api, anybody, 'getPersonInvite', { query: { token: tokenIn(url) } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 200, 404, 404]);
    const { data } = await callAs(api, owner.actor, 'listPersonInvites', {});
    expect(data.map(({ id }) => id)).toEqual([second.invite.id]);
  });

  it('are at most 100 in 24 hours: each is a mail to an address that nobody has proved', async () => {
    const { merchantId, owner } = await makeCompany(api);
    const { em } = api.runtime.context(system);
    const invite = () =>
      callAs(api, owner.actor, 'invitePerson', { body: { email: `x-${unique()}@acme.example`, role: 'viewer' } });
    await execute(
      em,
      sql`insert into person_invite (id, merchant_id, email, role, token_hash, invited_by, created_at, expires_at, ended_at)
        select gen_random_uuid(), ${merchantId}::uuid, 'x' || n || '@acme.example', 'viewer', decode(md5(${merchantId} || n), 'hex'),
          'system:test', now(), now(), now() from generate_series(1, 98) n`,
    );
    expect((await invite()).status).toBe(201);
    expect(await invite()).toMatchObject({ status: 409, error: { details: { reason: 'MAIL_LIMIT', limit: 100 } } });
    await execute(
      em,
      sql`update person_invite set created_at = created_at - interval '24 hours' where merchant_id = ${merchantId}::uuid`,
    );
    expect((await invite()).status).toBe(201);
  });

  it('is for owners only, and tells the merchant', async () => {
    const { merchantId, key, owner } = await makeCompany(api);
    const body = { email: `new-${unique()}@acme.example`, role: 'viewer' } as const;
    for (const role of ['finance', 'manager', 'viewer'] as const) {
      const { actor } = await makePerson(api, { merchantId, role });
      expect(await callAs(api, actor, 'invitePerson', { body })).toMatchObject({ error: { code: 'INSUFFICIENT_SCOPE' } });
    }
    const { data: me } = await api.call('GET', '/me', { key });
    const ofKey = { kind: 'key', keyId: me.key.id, keyType: 'merchant', ownerId: merchantId, scopes: MERCHANT_SCOPES } as const;
    expect(await callAs(api, ofKey, 'invitePerson', { body })).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(await callAs(api, owner.actor, 'invitePerson', { body })).toMatchObject({ status: 201, data: { role: 'viewer' } });
    const mails = await api.runtime
      .context(system)
      .em.execute<{ kind: string }[]>(
        "select kind from mail where merchant_id = ? and kind in ('account_changed', 'person_invited') order by created_at desc limit 2",
        [merchantId],
      );
    expect(mails.map(({ kind }) => kind).sort()).toEqual(['account_changed', 'person_invited']);
    expect(await callAs(api, owner.actor, 'invitePerson', { body: { email: owner.email, role: 'viewer' } })).toMatchObject({
      error: { details: { reason: 'ALREADY_MEMBER' } },
    });
  });
});

describe('roles', () => {
  it('apply at once, and the last owner stays', async () => {
    const { merchantId, owner } = await makeCompany(api);
    const other = await makePerson(api, { merchantId, role: 'viewer' });
    const change = (id: string, role: 'owner' | 'viewer', by = owner) =>
      callAs(api, by.actor, 'changePersonRole', { params: { id }, body: { role } });
    const last = { status: 409, error: { details: { reason: 'LAST_OWNER' } } };
    expect(await change(owner.personId, 'viewer')).toMatchObject(last);
    const leave = () => callAs(api, owner.actor, 'removePerson', { params: { id: owner.personId }, body: {} });
    expect(await leave()).toMatchObject(last);
    expect(await change(other.personId, 'owner')).toMatchObject({ status: 200, data: { role: 'owner' } });
    expect((await signedIn(api, other.token))?.merchant?.actor.scopes).toEqual(SCOPES_OF_ROLE.owner);
    expect(await leave()).toMatchObject({ status: 200, data: { personId: owner.personId } });
    expect(await signedIn(api, owner.token)).toBeNull();
  });

  it('a lesser role ends the keys of the person that can do more, with those made with them', async () => {
    const { merchantId, owner } = await makeCompany(api);
    const other = await makePerson(api, { merchantId });
    const make = async (preset: 'merchant:full' | 'readonly') =>
      (await callAs(api, other.actor, 'createApiKey', { body: { name: preset, preset } })).data;
    const [full, reads] = [await make('merchant:full'), await make('readonly')];
    const child = (await api.call('POST', '/auth/keys', { key: full.value, body: { name: 'child', preset: 'readonly' } })).data;
    const change = (role: 'finance' | 'viewer') =>
      callAs(api, owner.actor, 'changePersonRole', { params: { id: other.personId }, body: { role } });
    expect((await change('viewer')).status).toBe(200);
    const { data } = await callAs(api, owner.actor, 'listApiKeys', {});
    const isActive = (id: string) => data.find((key) => key.id === id)?.revokedAt === null;
    expect([full.key.id, child.key.id, reads.key.id].map(isActive)).toEqual([false, false, true]);
  });

  it('a person of another merchant is not found', async () => {
    const { owner } = await makeCompany(api);
    const { owner: stranger } = await makeCompany(api);
    const params = { id: stranger.personId };
    for (const response of [
      await callAs(api, owner.actor, 'changePersonRole', { params, body: { role: 'viewer' } }),
      await callAs(api, owner.actor, 'removePerson', { params, body: {} }),
      await callAs(api, owner.actor, 'listPersonKeys', { params }),
    ])
      expect(response).toMatchObject({ status: 404 });
    expect(await signedIn(api, stranger.token)).not.toBeNull();
  });
});

describe('removing a person', () => {
  it('ends their sessions, and their keys with descendants, but for those that are kept', async () => {
    const { merchantId, owner } = await makeCompany(api);
    const leaver = await makePerson(api, { merchantId });
    const made = async (actor: typeof leaver.actor, name: string) =>
      (await callAs(api, actor, 'createApiKey', { body: { name, preset: 'merchant:full' } })).data;
    const child = async (key: string, name: string) =>
      (await api.call('POST', '/auth/keys', { key, body: { name, preset: 'readonly' } })).data;
    const [lost, kept, own] = [
      await made(leaver.actor, 'lost'),
      await made(leaver.actor, 'kept'),
      await made(owner.actor, 'own'),
    ];
    const keys = [lost, await child(lost.value, 'of lost'), kept, await child(kept.value, 'of kept'), own];
    const params = { id: leaver.personId };
    const { data: listed } = await callAs(api, owner.actor, 'listPersonKeys', { params });
    expect(listed.map(({ name }) => name).sort()).toEqual(['kept', 'lost']);
    const removed = await callAs(api, owner.actor, 'removePerson', { params, body: { keepKeys: [kept.key.id] } });
    expect(removed).toMatchObject({ status: 200, data: { revokedKeys: 2 } });
    expect(await signedIn(api, leaver.token)).toBeNull();
    const { data } = await callAs(api, owner.actor, 'listApiKeys', {});
    const isRevoked = (id: string) => data.find((key) => key.id === id)?.revokedAt !== null;
    expect(keys.map(({ key }) => isRevoked(key.id))).toEqual([true, true, false, false, false]);
  });
});

test('what a person and their keys changed is in the audit log under that person', async () => {
  const { merchantId, key, owner } = await makeCompany(api);
  const { data: made } = await callAs(api, owner.actor, 'createApiKey', { body: { name: 'mine', preset: 'merchant:full' } });
  await api.call('PATCH', '/merchant', { key: made.value, body: { companyName: 'Renamed' } });
  await api.call('PATCH', '/merchant', { key, body: { companyName: 'By the operator key' } });
  const query = { personId: owner.personId };
  const { data } = await api.call('GET', '/audit-log', { key, query });
  expect(data.map(({ action, actor }: { action: string; actor: string }) => [action, actor])).toEqual([
    ['merchant.updated', `key:${made.key.id}`],
    ['api_key.created', `person:${owner.personId}`],
  ]);
  expect(data[1]).toMatchObject({ actorName: 'Grace Holt' });
  const { data: csv } = await api.call('GET', '/audit-log/export', { key, query });
  const file = await api.app.inject({ url: new URL(csv.url).pathname + new URL(csv.url).search });
  expect(file.body.split('\n').filter((line) => line.includes(owner.personId))).toHaveLength(1);
  expect(file.body).toContain(made.key.id);
  expect(file.body).not.toContain('By the operator key');
  expect((await callAs(api, owner.actor, 'listAuditLog', { query })).data).toHaveLength(2);
  expect(merchantId).toBe(owner.actor.ownerId);
});

test('a person has idempotency records and cursors of their own', async () => {
  const { merchantId, owner } = await makeCompany(api);
  const other = await makePerson(api, { merchantId });
  const idempotencyKey = unique();
  const create = ({ actor }: typeof owner) =>
    callAs(api, actor, 'createApiKey', { body: { name: 'once', preset: 'readonly' }, idempotencyKey });
  const [first, repeated, others] = [await create(owner), await create(owner), await create(other)];
  expect(repeated.data.key.id).toBe(first.data.key.id);
  expect(others.data.key.id).not.toBe(first.data.key.id);
  const { meta } = (await callAs(api, owner.actor, 'listApiKeys', { query: { limit: '1' } as never })) as never as {
    meta: { nextCursor: string };
  };
  const next = ({ actor }: typeof owner) =>
    callAs(api, actor, 'listApiKeys', { query: { cursor: meta.nextCursor, limit: '1' } as never });
  expect((await next(owner)).status).toBe(200);
  expect((await next(other)).status).toBe(400);
});

test('URLs that a person made end with their role', async () => {
  const { merchantId, owner } = await makeCompany(api);
  const other = await makePerson(api, { merchantId });
  const { data } = await callAs(api, other.actor, 'exportAuditLog', { query: {} });
  const open = async () => (await api.app.inject({ url: data.url.slice(new URL(data.url).origin.length) })).statusCode;
  expect(await open()).toBe(200);
  await callAs(api, owner.actor, 'removePerson', { params: { id: other.personId }, body: {} });
  expect(await open()).toBe(403);
});

test('who signs in is the user that merchant and profile name', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { em } = api.runtime.context(system);
  const [{ email } = { email: '' }] = await em.execute<{ email: string }[]>('select email from merchant where id = ?', [
    merchantId,
  ]);
  const owner = await makePerson(api, { merchantId, email });
  expect((await api.call('GET', '/merchant', { key })).data.userId).toBe(owner.personId);
  expect((await callAs(api, owner.actor, 'getMe', {})).data).toMatchObject({
    key: { id: owner.personId, keyType: 'full' },
    owner: { merchantId },
  });
});

test('erasing a person forgets who they were, and ends their role and sessions', async () => {
  const { merchantId, owner } = await makeCompany(api);
  const leaver = await makePerson(api, { merchantId, role: 'viewer' });
  await erasePerson(api.runtime.context(system), { email: leaver.email });
  expect(await signedIn(api, leaver.token)).toBeNull();
  const { data } = await callAs(api, owner.actor, 'listPeople', {});
  expect(data.map(({ personId }) => personId)).toEqual([owner.personId]);
  const { em } = api.runtime.context(system);
  for (const table of ['person', 'person_invite']) {
    const found = await em.execute<{ n: number }[]>(`select count(*)::int as n from ${table} where email = ?`, [leaver.email]);
    expect([table, found[0]?.n]).toEqual([table, 0]);
  }
});
