import { createApiKey } from '../../../src/domains/auth/index.ts';
import { changeBilling } from '../../../src/domains/merchants/index.ts';
import { setStripeSecret } from '../../../src/domains/programs/index.ts';
import { recordChange } from '../../../src/platform/audit-log/record-change.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useOwnApi();
const operator = { kind: 'system', name: 'operator' } as const;

const listOf = async (key: string, query: Record<string, string> = {}) => api.call('GET', '/audit-log', { key, query });

const makeChanged = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const changed = await api.call('PATCH', `/programs/${programId}`, {
    key: merchant.key,
    body: { commissionPercent: 45 },
    from: '203.0.113.7',
  });
  expect(changed.status).toBe(200);
  return { ...merchant, programId, requestId: changed.meta.requestId };
};

it('SE15: lists who changed what, from where, with old and new values, newest first', async () => {
  const { key, keyId, programId, requestId } = await makeChanged();
  const { status, data, meta } = await listOf(key);
  expect({ status, total: meta.total }).toEqual({ status: 200, total: data.length });
  expect(data[0]).toEqual({
    id: expect.any(String),
    actor: `key:${keyId}`,
    actorName: 'test',
    address: '203.0.113.7',
    requestId,
    action: 'program.updated',
    resourceType: 'program',
    resourceId: programId,
    changes: [{ field: 'commissionPercent', old: 20, new: 45, hidden: false }],
    createdAt: expect.any(String),
  });
  expect(data.at(-1)).toMatchObject({ actor: 'system:test', actorName: null, address: null, requestId: null });
});

it('SE15: filters by actor, action, type, object and time, and pages by cursor', async () => {
  const { key, keyId, programId } = await makeChanged();
  const actionsOf = async (query: Record<string, string>) =>
    (await listOf(key, query)).data.map(({ action }: { action: string }) => action);
  expect(await actionsOf({ actor: 'system:test' })).toEqual(['api_key.created', 'merchant.created']);
  expect(await actionsOf({ actor: `key:${keyId}` })).toEqual([
    'program.updated',
    'program.event_secret_issued',
    'program.created',
  ]);
  expect(await actionsOf({ action: 'program.created' })).toEqual(['program.created']);
  expect(await actionsOf({ action: 'program.created', resourceType: 'coupon' })).toEqual([]);
  expect(await actionsOf({ resourceType: 'api_key' })).toEqual(['api_key.created']);
  expect(await actionsOf({ resourceId: programId })).toHaveLength(3);
  expect(await actionsOf({ from: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
  expect(await actionsOf({ to: new Date(Date.now() - 60_000).toISOString() })).toEqual([]);
  const first = await listOf(key, { limit: '2' });
  const second = await listOf(key, { limit: '2', cursor: first.meta.nextCursor });
  expect([...first.data, ...second.data].map(({ action }) => action)).toEqual((await actionsOf({})).slice(0, 4));
  const wrong: Record<string, string>[] = [
    { actor: 'nobody' },
    { action: 'x' },
    { resourceType: 'nothing' },
    { resourceId: '1' },
  ];
  for (const query of wrong) expect([query, (await listOf(key, query)).status]).toEqual([query, 400]);
});

it('SE15: shows nothing of another merchant, and needs merchant:manage', async () => {
  const { key, programId } = await makeChanged();
  const other = await makeMerchant(api.runtime);
  expect((await listOf(other.key, { resourceId: programId })).data).toEqual([]);
  const limited = await makeKey(api.runtime, { ownerId: other.merchantId, scopes: ['merchant:read', 'programs:write'] });
  expect(await listOf(limited.key)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  const cursor = (await listOf(key, { limit: '1' })).meta.nextCursor;
  expect((await listOf(other.key, { cursor })).status).toBe(400);
});

it('SE15: a change that is rolled back, or changes nothing, leaves no entry', async () => {
  const { key, merchantId, programId } = await makeChanged();
  const before = (await listOf(key)).meta.total;
  const failed = inTransaction(api.runtime.context(operator), async (ctx) => {
    await setStripeSecret(ctx, { programId, secret: 'whsec_x' });
    await changeBilling(ctx, { merchantId, changes: { billingTier: 'pro' } });
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  await api.call('PATCH', `/programs/${programId}`, { key, body: { commissionPercent: 45 } });
  await api.call('PATCH', '/merchant', { key, body: {} });
  expect((await listOf(key)).meta.total).toBe(before);
});

it('SE15: two changes at once leave two entries, each with what it found', async () => {
  const { key, programId } = await makeChanged();
  const change = (commissionPercent: number) => api.call('PATCH', `/programs/${programId}`, { key, body: { commissionPercent } });
  await Promise.all([change(30), change(31)]);
  const { data } = await listOf(key, { action: 'program.updated', limit: '2' });
  const [last, first] = data.map(({ changes }: { changes: { old: number; new: number }[] }) => changes[0]);
  expect(first.old).toBe(45);
  expect(last.old).toBe(first.new);
  expect([first.new, last.new].sort()).toEqual([30, 31]);
});

it('SE15: the role of the application can neither change nor delete entries', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { em } = api.runtime.context(operator);
  for (const statement of [
    sql`update audit_log set changes = '[]' where owner_id = ${merchantId}::uuid`,
    sql`delete from audit_log where owner_id = ${merchantId}::uuid`,
    sql`truncate audit_log`,
  ])
    await expect(execute(em, statement)).rejects.toThrow(/permission denied|never changed/);
});

it('SE15: long values are cut, and stay valid text', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const text = `x${'😀'.repeat(50_000)}`;
  await inTransaction(api.runtime.context(operator), (ctx) =>
    recordChange(ctx, {
      ownerId: merchantId,
      action: 'program.updated',
      resourceId: merchantId,
      before: { a: 1 },
      after: { a: 1, text },
    }),
  );
  const { data } = await listOf(key, { action: 'program.updated' });
  expect(data[0].changes).toEqual([{ field: 'text', old: null, new: expect.stringMatching(/^"x😀.*…$/u), hidden: false }]);
  expect(data[0].changes[0].new.length).toBeLessThan(510);
});

it('SE15: neither secrets, nor addresses and accounts that are paid to, nor texts about persons are in an entry', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const calls: [path: string, body: object][] = [
    ['/webhooks', { name: 'Orders', url: 'https://1.1.1.1/hook-secret-1', subscribedEvents: ['payout.completed'] }],
    [
      '/affiliates',
      {
        programId,
        email: 'grace@secret-2.example',
        name: 'Grace Secret-3',
        bankAccountHolder: 'Grace Secret-4',
        bankIban: 'DE89370400440532013000',
        externalId: 'secret-5',
      },
    ],
    [`/programs/${programId}/invites`, { email: 'ada@secret-6.example', name: 'Ada Secret-7' }],
    ['/auth/keys', { name: 'Secret-8', scopes: ['merchant:read'] }],
  ];
  const made = new Map<string, { id: string; text: string }>();
  for (const [path, body] of calls) {
    const response = await api.call('POST', path, { key, body });
    expect([path, response.status]).toEqual([path, 201]);
    const { data } = response;
    made.set(path, { id: (data.endpoint ?? data.key ?? data).id, text: data.signingSecret ?? data.value ?? '' });
  }
  const affiliate = made.get('/affiliates')?.id;
  const details = { paypalEmail: 'grace@secret-9.example', metadata: { note: 'secret-10' } };
  for (const [method, path, body] of [
    ['PATCH', `/affiliates/${affiliate}`, details],
    ['POST', `/affiliates/${affiliate}/block`, { reason: 'Secret-11' }],
    ['POST', `/affiliates/${affiliate}/adjustments`, { amount: 500, kind: 'bonus', note: 'Secret-12' }],
    ['PATCH', `/webhooks/${made.get('/webhooks')?.id}/settings`, { headers: { authorization: 'Bearer secret-13' } }],
    ['PATCH', `/webhooks/${made.get('/webhooks')?.id}`, { url: 'https://1.0.0.1/hook-secret-14' }],
  ] as const)
    expect([path, Math.floor((await api.call(method, path, { key, body })).status / 100)]).toEqual([path, 2]);
  const stored = await rows(
    api.runtime.context(operator).em,
    sql<{ row: string }>`select (to_jsonb(l) - 'actor_name')::text as row from audit_log l where owner_id = ${merchantId}::uuid`,
  );
  const text = stored.map(({ row }) => row).join('\n');
  expect(text).not.toMatch(/secret-\d/i);
  expect(text).not.toContain('DE89370400440532013000');
  for (const { text: secret } of made.values()) if (secret !== '') expect(text).not.toContain(secret);
  const hidden = (await listOf(key, { resourceId: String(affiliate) })).data.flatMap(
    ({ changes }: { changes: { field: string; hidden: boolean }[] }) =>
      changes.filter((change) => change.hidden).map(({ field }) => field),
  );
  expect(hidden).toEqual(expect.arrayContaining(['payoutDetails', 'metadata', 'blockedReason', 'email', 'bankIban']));
});

it('SE15: what the operator does is recorded: keys, tier and the erasure of a person', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  await createApiKey(api.runtime.context(operator), {
    keyType: 'merchant',
    ownerId: merchantId,
    name: 'Operator',
    preset: 'readonly',
  });
  await changeBilling(api.runtime.context(operator), { merchantId, changes: { billingTier: 'growth' } });
  const { data } = await listOf(key, { actor: 'system:operator' });
  expect(data).toMatchObject([
    { action: 'merchant.billing_changed', changes: [{ field: 'billingTier', old: 'free', new: 'growth' }] },
    { action: 'api_key.created', address: null },
  ]);
});

it('SE15: entries of a key of a person hold neither their address nor the name of their request', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const own = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const body = { paypalEmail: 'mine@example.com' };
  await api.call('PATCH', '/me/payout-info', { key: own.key, body, headers: { 'x-request-id': 'ada-lovelace' } });
  const found = await rows(
    api.runtime.context(operator).em,
    sql<{ action: string; address: null; request: null }>`select action, address, request_id as request from audit_log
      where owner_id = ${profileId}::uuid and actor = ${`key:${own.keyId}`}`,
  );
  expect(found).toEqual([{ action: 'profile.payout_details_changed', address: null, request: null }]);
});
