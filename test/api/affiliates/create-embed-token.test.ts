import { randomUUID } from 'node:crypto';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useOwnApi();

const makeOwn = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  return { ...merchant, ...(await makeAffiliate(api.runtime, programId)) };
};

const issue = (key: string, affiliateId: unknown) => api.call('POST', '/embed-tokens', { key, body: { affiliateId } });

test('a token names its affiliate, and leads to the page for 15 minutes', async () => {
  const { key, affiliateId } = await makeOwn();
  const { status, data } = await issue(key, affiliateId);
  expect({ status, data }).toEqual({
    status: 201,
    data: {
      affiliateId,
      token: expect.stringMatching(/^[\w-]+\.[0-9a-f]{32}$/),
      url: expect.any(String),
      expiresAt: expect.any(String),
    },
  });
  const url = new URL(data.url);
  expect([url.pathname, url.searchParams.get('token')]).toEqual(['/embed', data.token]);
  const minutes = (Date.parse(data.expiresAt) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(14);
  expect(minutes).toBeLessThanOrEqual(15);
});

test('the affiliate of another merchant is a 403, and a missing one a 404', async () => {
  const [own, other] = [await makeOwn(), await makeOwn()];
  expect(await issue(own.key, other.affiliateId)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  expect(await issue(own.key, randomUUID())).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  expect(await issue(own.key, 'ada')).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
});

test('a key without affiliates:manage, and the key of an affiliate, get none', async () => {
  const { merchantId, affiliateId, profileId } = await makeOwn();
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['affiliates:read'] });
  expect(await issue(key, affiliateId)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  const { key: ofAffiliate } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  expect(await issue(ofAffiliate, affiliateId)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});

test('a blocked affiliate gets no token, nor one whose data was erased', async () => {
  const [blocked, erased] = [await makeOwn(), await makeOwn()];
  await api.call('POST', `/affiliates/${blocked.affiliateId}/block`, { key: blocked.key });
  expect(await issue(blocked.key, blocked.affiliateId)).toMatchObject({
    status: 409,
    error: { details: { reason: 'AFFILIATE_BLOCKED' } },
  });
  const { data } = await api.call('GET', `/affiliates/${erased.affiliateId}`, { key: erased.key });
  await erasePerson(api.runtime.context({ kind: 'system', name: 'test' }), { email: data.email });
  expect(await issue(erased.key, erased.affiliateId)).toMatchObject({
    status: 409,
    error: { details: { reason: 'AFFILIATE_ERASED' } },
  });
});
