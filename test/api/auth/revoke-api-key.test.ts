import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

test('requests with a revoked key are 401, and the key stays in the list', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const other = await makeKey(api.runtime, { ownerId: merchantId });
  const revoked = await api.call('DELETE', `/auth/keys/${other.keyId}`, { key });
  expect(revoked).toMatchObject({ status: 200, data: { id: other.keyId, revokedAt: expect.any(String) } });
  expect(await api.call('GET', '/merchant', { key: other.key })).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
  const listed = await api.call('GET', '/auth/keys', { key });
  expect(listed.data).toContainEqual(expect.objectContaining({ id: other.keyId, revokedAt: revoked.data.revokedAt }));
});

test('revoking again keeps the first time', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const other = await makeKey(api.runtime, { ownerId: merchantId });
  const first = await api.call('DELETE', `/auth/keys/${other.keyId}`, { key });
  const again = await api.call('DELETE', `/auth/keys/${other.keyId}`, { key });
  expect(again).toMatchObject({ status: 200, data: first.data });
});
