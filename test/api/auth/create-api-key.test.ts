import { SCOPES_OF } from '../../../src/contracts/scopes.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi();

const DAY_MS = 86_400_000;

test('a new key is shown only once, works immediately and records which key created it', async () => {
  const { keyId, key } = await makeMerchant(api.runtime);
  const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
  const body = { name: 'Backend', scopes: ['programs:read'], expiresAt };
  const made = await api.call('POST', '/auth/keys', { key, body });
  expect(made.status).toBe(201);
  expect(made.data).toEqual({
    key: expect.objectContaining({
      name: 'Backend',
      keyType: 'merchant',
      scopes: ['programs:read'],
      createdBy: keyId,
      expiresAt,
    }),
    value: expect.stringMatching(/^ak_live_[0-9A-Za-z]{49}$/),
  });
  expect(made.data.value.endsWith(made.data.key.lastFour)).toBe(true);
  expect((await api.call('GET', '/programs', { key: made.data.value })).status).toBe(200);
  expect((await api.call('GET', '/merchant', { key: made.data.value })).error.code).toBe('INSUFFICIENT_SCOPE');
});

test('a preset is reduced to the scopes of the creating key', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:manage', 'programs:read'] });
  const made = await api.call('POST', '/auth/keys', { key, body: { name: 'Reader', preset: 'readonly' } });
  expect(made.data.key.scopes).toEqual(['programs:read']);
});

test('the merchant:full preset grants all merchant scopes', async () => {
  const { key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/auth/keys', { key, body: { name: 'All', preset: 'merchant:full' } });
  expect(made.data.key.scopes).toEqual(SCOPES_OF.merchant);
});

test('an affiliate key creates affiliate keys of the same owner', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const { key } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const made = await api.call('POST', '/auth/keys', { key, body: { name: 'Phone', preset: 'readonly' } });
  expect(made.data.value).toMatch(/^ak_aff_/);
  expect(made.data.key.scopes.toSorted()).toEqual(SCOPES_OF.affiliate.filter((scope) => scope.endsWith(':read')).toSorted());
});

test('a key cannot grant a scope that it does not have', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:manage'] });
  for (const scopes of [['payouts:write'], ['merchant:manage', 'payouts:write']]) {
    const rejected = await api.call('POST', '/auth/keys', { key, body: { name: 'More', scopes } });
    expect(rejected).toMatchObject({
      status: 403,
      error: { code: 'INSUFFICIENT_SCOPE', details: { required: 'payouts:write', granted: ['merchant:manage'] } },
    });
  }
});

const tooMany = (limit: number) => ({ status: 409, error: { code: 'CONFLICT', details: { reason: 'TOO_MANY_KEYS', limit } } });
const oneMore = (key: string) => api.call('POST', '/auth/keys', { key, body: { name: 'One more', preset: 'readonly' } });

test.each([
  ['free', 10],
  ['starter', 25],
  ['growth', 50],
  ['pro', 100],
])('SE13: a merchant of the tier %s has at most %d active keys', async (tier, limit) => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  await rowsOf(api, 'update merchant set billing_tier = ? where id = ? returning id', [tier, merchantId]);
  for (let made = 1; made < limit - 1; made++) await makeKey(api.runtime, { ownerId: merchantId, scopes: ['programs:read'] });
  // Two at once: one fits.
  const made = await Promise.all([oneMore(key), oneMore(key)]);
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(await oneMore(key)).toMatchObject(tooMany(limit));
  const { data } = made.find(({ status }) => status === 201) ?? {};
  await api.call('DELETE', `/auth/keys/${data.key.id}`, { key });
  expect((await oneMore(key)).status).toBe(201);
});

const revoke = async (key: string, id: string) =>
  expect((await api.call('DELETE', `/auth/keys/${id}`, { key })).status).toBe(200);

test('SE13: keys that were revoked or expired within a minute still count, apart from one that is replaced', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made: string[] = [];
  for (let n = 1; n < 10; n++) made.push((await oneMore(key)).data.key.id);
  await revoke(key, made[0] ?? '');
  expect((await oneMore(key)).status).toBe(201);
  await revoke(key, made[1] ?? '');
  expect(await oneMore(key)).toMatchObject({
    status: 409,
    error: { details: { reason: 'TOO_MANY_KEYS', limit: 10, retryAfterMs: 60_000 } },
  });
  await rowsOf(api, `update api_key set revoked_at = null, expires_at = now() - interval '1 second' where id = ? returning id`, [
    made[1],
  ]);
  expect(await oneMore(key)).toMatchObject(tooMany(10));
  await rowsOf(
    api,
    `update api_key set revoked_at = revoked_at - interval '1 minute', expires_at = expires_at - interval '1 minute' where owner_id = ? returning id`,
    [merchantId],
  );
  expect((await oneMore(key)).status).toBe(201);
});

test('SE13: an owner creates a bounded number of keys in a day, and the operator more', async () => {
  const { merchantId, keyId, key } = await makeMerchant(api.runtime);
  await rowsOf(
    api,
    `insert into api_key (id, key_type, owner_id, name, hash, prefix, last_four, scopes, created_by, line_id, created_at, revoked_at)
     select uuidv7(), 'merchant', ?, 'old', sha256(uuidv7()::text::bytea), 'x', 'x', '{}', ?, ?, now() - interval '1 hour', now() - interval '1 hour'
     from generate_series(1, 49) returning id`,
    [merchantId, keyId, keyId],
  );
  const last = await oneMore(key);
  expect(last.status).toBe(201);
  expect(await oneMore(key)).toMatchObject({
    status: 409,
    error: { details: { reason: 'TOO_MANY_KEYS', limit: 10, perDay: 50 } },
  });
  await makeKey(api.runtime, { ownerId: merchantId });
  await rowsOf(api, `update api_key set created_at = created_at - interval '23 hours' where owner_id = ? returning id`, [
    merchantId,
  ]);
  expect((await oneMore(key)).status).toBe(201);
});

test('SE13: a person has at most 10 active keys, and the operator creates more for a merchant', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const { key } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  for (let made = 1; made < 10; made++) expect((await oneMore(key)).status).toBe(201);
  expect(await oneMore(key)).toMatchObject(tooMany(10));
  for (let made = 1; made < 100; made++) await makeKey(api.runtime, { ownerId: merchant.merchantId });
  await expect(makeKey(api.runtime, { ownerId: merchant.merchantId })).rejects.toMatchObject({ details: { limit: 100 } });
});

test.each([
  ['name', { preset: 'readonly' }],
  ['name', { name: ' ', preset: 'readonly' }],
  ['name', { name: 'two\nlines', preset: 'readonly' }],
  ['scopes', { name: 'x' }],
  ['scopes', { name: 'x', preset: 'readonly', scopes: ['programs:read'] }],
  ['scopes', { name: 'x', scopes: [] }],
  ['scopes.0', { name: 'x', scopes: ['programs:delete'] }],
  ['scopes', { name: 'x', scopes: ['links:read'] }],
  ['preset', { name: 'x', preset: 'everything' }],
  ['expiresAt', { name: 'x', preset: 'readonly', expiresAt: 'tomorrow' }],
  ['expiresAt', { name: 'x', preset: 'readonly', expiresAt: '2020-01-01T00:00:00Z' }],
  ['keyType', { name: 'x', preset: 'readonly', keyType: 'onboarding' }],
])('an invalid %s is reported: %j', async (path, body) => {
  const { key } = await makeMerchant(api.runtime);
  const rejected = await api.call('POST', '/auth/keys', { key, body });
  expect(rejected).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
});

test('retrying with the same Idempotency-Key creates one key and returns its value again', async () => {
  const { key } = await makeMerchant(api.runtime);
  const request = { key, body: { name: 'Once', preset: 'readonly' }, headers: { 'idempotency-key': 'once' } };
  const first = await api.call('POST', '/auth/keys', request);
  const again = await api.call('POST', '/auth/keys', request);
  expect(again.text).toBe(first.text);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect((await api.call('GET', '/auth/keys', { key })).meta.total).toBe(2);
});

describe('H7: a key that a key creates', () => {
  const create = (key: string, more: Record<string, unknown> = {}) =>
    api.call('POST', '/auth/keys', { key, body: { name: 'Child', preset: 'readonly', ...more } });

  it('expires with its creator at the latest', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const expiresAt = new Date(Date.now() + 60_000);
    const { key } = await makeKey(api.runtime, { ownerId: merchantId, expiresAt });
    expect((await create(key)).data.key.expiresAt).toBe(expiresAt.toISOString());
    const earlier = new Date(Date.now() + 30_000).toISOString();
    expect((await create(key, { expiresAt: earlier })).data.key.expiresAt).toBe(earlier);
    const rejected = await create(key, { expiresAt: new Date(expiresAt.getTime() + 1).toISOString() });
    expect(rejected).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'expiresAt' }] } } });
  });

  it('its rate is at most that of its creator, at every depth', async () => {
    const { merchantId } = await makeMerchant(api.runtime);
    const { key, keyId } = await makeKey(api.runtime, {
      ownerId: merchantId,
      rateLimit: 5,
      scopes: ['merchant:manage', 'merchant:read'],
    });
    const child = await create(key, { preset: undefined, scopes: ['merchant:manage', 'merchant:read'] });
    expect(child.data.key.createdBy).toBe(keyId);
    const grandchild = await create(child.data.value, { preset: undefined, scopes: ['merchant:read'] });
    for (const value of [child.data.value, grandchild.data.value]) {
      const response = await api.call('GET', '/merchant', { key: value });
      expect(response.headers['x-ratelimit-limit']).toBe('5');
    }
  });

  it("its rate is not raised above its billing tier by an operator's higher rate for its creator", async () => {
    const { key } = await makeMerchant(api.runtime);
    const child = await create(key);
    expect((await api.call('GET', '/merchant', { key: child.data.value })).headers['x-ratelimit-limit']).toBe('60');
  });
});

test('IN8: a preset of the other key type is 422 WRONG_PRESET', async () => {
  const { key } = await makeMerchant(api.runtime);
  const wrong = (response: unknown) =>
    expect(response).toMatchObject({
      status: 422,
      error: { details: { issues: [expect.objectContaining({ path: 'preset', code: 'WRONG_PRESET' })] } },
    });
  wrong(await api.call('POST', '/auth/keys', { key, body: { name: 'Odd', preset: 'affiliate:full' } }));
  const { programId } = await makeProgram(api, key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
  const body = { name: 'Odd', preset: 'merchant:full' };
  wrong(await api.call('POST', '/auth/keys', { key: affiliateKey, body }));
  expect((await api.call('POST', '/auth/keys', { key: affiliateKey, body: { ...body, preset: 'readonly' } })).status).toBe(201);
});
