import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

test('the list holds the keys of the caller, newest first, and never their text', async () => {
  const { merchantId, keyId, key } = await makeMerchant(api.runtime);
  const second = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['programs:read'] });
  const answer = await api.call('GET', '/auth/keys', { key });
  expect(answer.status).toBe(200);
  expect(answer.data.map((one: { id: string }) => one.id)).toEqual([second.keyId, keyId]);
  expect(answer.data[0]).toEqual({
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
  expect(answer.text).not.toContain(second.key);
  expect(answer.meta).toMatchObject({ total: 2, page: 1, pageSize: 20, hasMore: false });
});

test('keys of others are not in it', async () => {
  const mine = await makeMerchant(api.runtime);
  await makeMerchant(api.runtime);
  const answer = await api.call('GET', '/auth/keys', { key: mine.key });
  expect(answer.data.map((one: { id: string }) => one.id)).toEqual([mine.keyId]);
});

test('an affiliate sees its own keys', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const { keyId, key } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const answer = await api.call('GET', '/auth/keys', { key });
  expect(answer.data).toEqual([expect.objectContaining({ id: keyId, keyType: 'affiliate', prefix: 'ak_aff_' })]);
});

test('pages by cursor go through all keys once', async () => {
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
])('the query %j is a bad request', async (query) => {
  const { key } = await makeMerchant(api.runtime);
  const answer = await api.call('GET', '/auth/keys', { key, query });
  expect(answer).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});
