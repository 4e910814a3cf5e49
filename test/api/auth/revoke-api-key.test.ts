import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

test('a revoked key answers 401 from now on and stays in the list', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const other = await makeKey(api.runtime, { ownerId: merchantId });
  const revoked = await api.call('DELETE', `/auth/keys/${other.keyId}`, { key });
  expect(revoked).toMatchObject({ status: 200, data: { id: other.keyId, revokedAt: expect.any(String) } });
  expect(await api.call('GET', '/merchant', { key: other.key })).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
  const listed = await api.call('GET', '/auth/keys', { key });
  expect(listed.data).toContainEqual(expect.objectContaining({ id: other.keyId, revokedAt: revoked.data.revokedAt }));
});

test('revoking again keeps the first moment', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const other = await makeKey(api.runtime, { ownerId: merchantId });
  const first = await api.call('DELETE', `/auth/keys/${other.keyId}`, { key });
  const again = await api.call('DELETE', `/auth/keys/${other.keyId}`, { key });
  expect(again).toMatchObject({ status: 200, data: first.data });
});

test('a key that does not exist is 404', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await api.call('DELETE', `/auth/keys/${MISSING}`, { key })).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
});

test("somebody else's key is 403 and goes on working", async () => {
  const mine = await makeMerchant(api.runtime);
  const theirs = await makeMerchant(api.runtime);
  const refused = await api.call('DELETE', `/auth/keys/${theirs.keyId}`, { key: mine.key });
  expect(refused).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  expect((await api.call('GET', '/merchant', { key: theirs.key })).status).toBe(200);
});

test('an id that is no UUID is a bad request', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await api.call('DELETE', '/auth/keys/first', { key })).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});

test('a body is refused', async () => {
  const { keyId, key } = await makeMerchant(api.runtime);
  const refused = await api.call('DELETE', `/auth/keys/${keyId}`, { key, body: { force: true } });
  expect(refused).toMatchObject({ status: 400, error: { details: { reason: 'BODY_NOT_ALLOWED' } } });
});
