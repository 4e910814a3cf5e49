import { randomUUID } from 'node:crypto';
import { API_PREFIX } from '../../../src/api/pipeline/operations.ts';
import { type TestResponse, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { rowOf } from './support.ts';

const api = useTestApi();

const errorOf = ({ status, error }: TestResponse) => ({ status, code: error?.code, reason: error?.details?.reason });

/**
 * One request that breaks every rule at once, mended one rule at a time: each step uncovers the next answer. The
 * request is POST /affiliates/{id}/block with `limit` as its unknown parameter.
 */
test('checks run in the documented order: rate, key, type, scope, parameters, body, idempotency, existence, ownership', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { affiliateId, profileId } = await makeAffiliate(api.runtime, programId);
  const stranger = await makeMerchant(api.runtime);
  const affiliateKey = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  const unscoped = await makeKey(api.runtime, { ownerId: stranger.merchantId, scopes: ['programs:read'] });

  const from = '127.77.0.1';
  for (let used = 0; used < 10; used++) await api.call('GET', '/me', { from });
  const wrong = { from, key: 'ak_live_wrong', query: { limit: '0' }, body: '{', headers: { 'idempotency-key': 'k\u00e9y' } };
  const path = (id: string) => `/affiliates/${id}/block`;
  const call = async (id: string, options: object) => errorOf(await api.call('POST', path(id), options));

  expect(await call('x', wrong)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  const rested = { ...wrong, from: '127.77.0.2' };
  expect(await call('x', rested)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
  expect(await call('x', { ...rested, key: affiliateKey.key })).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  expect(await call('x', { ...rested, key: unscoped.key })).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
  const scoped = { ...rested, key: stranger.key, body: { reason: 5 } };
  expect(await call('x', scoped)).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  expect(await call(randomUUID(), scoped)).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  const asked = { key: stranger.key, body: { reason: 5 }, headers: wrong.headers };
  expect(await call(randomUUID(), asked)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
  const sound = { ...asked, body: { reason: 'spam' } };
  expect(await call(randomUUID(), sound)).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  const kept = { ...sound, headers: { 'idempotency-key': 'key' } };
  expect(await call(randomUUID(), kept)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect(await call(affiliateId, kept)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  expect(await call(affiliateId, { ...kept, key: merchant.key })).toMatchObject({ status: 200 });
});

test('a key that was used with another body is refused before anybody looks for the object', async () => {
  const { key } = await makeMerchant(api.runtime);
  const headers = { 'idempotency-key': 'k' };
  const id = randomUUID();
  expect((await api.call('POST', `/affiliates/${id}/block`, { key, headers, body: {} })).status).toBe(404);
  expect(await api.call('POST', `/affiliates/${id}/block`, { key, headers, body: { reason: 'x' } })).toMatchObject({
    status: 409,
    error: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
});

test('a body that is no JSON is not looked at before the key is', async () => {
  for (const body of ['{', 'x'.repeat(2_000_000)]) {
    expect(await api.call('POST', '/programs', { body })).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
  }
});

describe('an operation is guarded however its address is spelled', () => {
  const SPELLINGS: [string, (path: string) => string][] = [
    ['an escaped letter of the prefix', (path) => `/%61pi/v1${path}`],
    ['an escaped letter of the version', (path) => `/api/%761${path}`],
    ['escapes all over', (path) => `/%61%70%69/%76%31${path.replace('auth', '%61uth')}`],
    ['a query that looks like a path', (path) => `${API_PREFIX}${path}?`],
  ];

  it.each(SPELLINGS)('%s', async (_name, spell) => {
    const { keyId, key } = await makeMerchant(api.runtime);
    const before = await rowOf(api.runtime, { table: 'api_key', id: keyId });
    for (const headers of [{}, { authorization: 'Bearer ak_live_wrong' }]) {
      const answer = await api.app.inject({
        method: 'DELETE',
        url: spell(`/auth/keys/${keyId}`),
        remoteAddress: '127.78.0.1',
        headers,
      });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['x-ratelimit-limit']).toBe('10');
    }
    expect(await rowOf(api.runtime, { table: 'api_key', id: keyId })).toEqual(before);
    const own = await api.app.inject({ method: 'GET', url: spell('/auth/keys'), headers: { authorization: `Bearer ${key}` } });
    expect(own.statusCode).toBe(200);
  });

  it.each([['//api/v1/me'], ['/api//v1/me'], ['/API/V1/me'], ['/api/v1/me/'], ['/api%2Fv1/me']])(
    '%s is no address of an operation',
    async (url) => {
      const { key } = await makeMerchant(api.runtime);
      const answer = await api.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${key}` } });
      expect(answer.statusCode).toBe(404);
    },
  );

  it('a HEAD request needs what its GET needs', async () => {
    const { key } = await makeMerchant(api.runtime);
    const head = (headers: Record<string, string>) =>
      api.app.inject({ method: 'HEAD', url: `${API_PREFIX}/programs`, remoteAddress: '127.79.0.1', headers });
    expect((await head({})).statusCode).toBe(401);
    const allowed = await head({ authorization: `Bearer ${key}` });
    expect([allowed.statusCode, allowed.body]).toEqual([200, '']);
  });
});
