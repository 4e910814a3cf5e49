import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

test('lists the keys of the caller, newest first, without their values', async () => {
  const { merchantId, keyId, key } = await makeMerchant(api.runtime);
  const second = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['programs:read'] });
  const response = await api.call('GET', '/auth/keys', { key });
  expect(response.status).toBe(200);
  expect(response.data.map((one: { id: string }) => one.id)).toEqual([second.keyId, keyId]);
  expect(response.data[0]).toEqual({
    id: second.keyId,
    name: 'test',
    keyType: 'merchant',
    prefix: 'ak_live_',
    lastFour: second.key.slice(-4),
    scopes: ['programs:read'],
    createdBy: null,
    createdAt: expect.any(String),
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  });
  expect(response.text).not.toContain(second.key);
  expect(response.meta).toMatchObject({ total: 2, page: 1, pageSize: 20, hasMore: false });
});

test('keys of other owners are not listed', async () => {
  const mine = await makeMerchant(api.runtime);
  await makeMerchant(api.runtime);
  const response = await api.call('GET', '/auth/keys', { key: mine.key });
  expect(response.data.map((one: { id: string }) => one.id)).toEqual([mine.keyId]);
});

test('an affiliate key lists the keys of its owner', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const response = await api.call('GET', '/auth/keys', { key });
  expect(response.data).toEqual([expect.objectContaining({ id: keyId, keyType: 'affiliate', prefix: 'ak_aff_' })]);
});

test('pages by cursor contain each key once', async () => {
  const { merchantId, keyId, key } = await makeMerchant(api.runtime);
  const others = await Promise.all([1, 2].map(() => makeKey(api.runtime, { ownerId: merchantId })));
  const first = await api.call('GET', '/auth/keys', { key, query: { limit: '2' } });
  const rest = await api.call('GET', '/auth/keys', { key, query: { limit: '2', cursor: first.meta.nextCursor } });
  const seen = [...first.data, ...rest.data].map((one: { id: string }) => one.id);
  expect(seen.toSorted()).toEqual([keyId, ...others.map((one) => one.keyId)].toSorted());
  expect(rest.meta).toMatchObject({ total: 3, hasMore: false });
});

test.each<Record<string, string>>([
  { limit: '0' },
  { limit: '101' },
  { cursor: 'made-up' },
  { colour: 'red' },
  { page: '1', offset: '2' },
])('400 for the query %j', async (query) => {
  const { key } = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/auth/keys', { key, query });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});
