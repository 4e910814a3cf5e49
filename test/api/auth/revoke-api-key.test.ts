import { ApiKeyCache } from '../../../src/domains/auth/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

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

describe('H7: keys that were created with a revoked key', () => {
  const family = async () => {
    const { merchantId, key: master } = await makeMerchant(api.runtime);
    const parent = await makeKey(api.runtime, { ownerId: merchantId });
    const create = async (key: string) =>
      (await api.call('POST', '/auth/keys', { key, body: { name: 'Child', scopes: ['merchant:manage', 'merchant:read'] } })).data;
    const child = await create(parent.key);
    const grandchild = await create(child.value);
    const works = async (value: string) =>
      typeof (await new ApiKeyCache(api.runtime.orm, api.runtime.log).verify(value)) !== 'string';
    return { merchantId, master, parent, child, grandchild, works };
  };

  it('keep working by default, and their number is told', async () => {
    const { master, parent, child, grandchild, works } = await family();
    const revoked = await api.call('DELETE', `/auth/keys/${parent.keyId}`, { key: master });
    expect(revoked).toMatchObject({ status: 200, data: { id: parent.keyId, descendants: 2 } });
    expect([await works(parent.key), await works(child.value), await works(grandchild.value)]).toEqual([false, true, true]);
    expect((await api.call('DELETE', `/auth/keys/${child.key.id}`, { key: master })).data.descendants).toBe(1);
    // A revoked key between them does not hide the living one.
    expect((await api.call('DELETE', `/auth/keys/${parent.keyId}`, { key: master })).data.descendants).toBe(1);
  });

  it('they are revoked too with descendants=true, and no others', async () => {
    const { master, parent, child, grandchild, works } = await family();
    expect([await works(child.value), await works(grandchild.value)]).toEqual([true, true]);
    const path = `/auth/keys/${parent.keyId}`;
    expect((await api.call('DELETE', path, { key: master })).data.descendants).toBe(2);
    const revoked = await api.call('DELETE', path, { key: master, query: { descendants: 'true' } });
    expect(revoked).toMatchObject({ status: 200, data: { id: parent.keyId, descendants: 0 } });
    expect([await works(child.value), await works(grandchild.value), await works(master)]).toEqual([false, false, true]);
    expect((await api.call('DELETE', path, { key: master, query: { descendants: 'yes' } })).status).toBe(400);
  });

  it('none can be created while they are revoked', async () => {
    const { merchantId, master, parent, child } = await family();
    await rowsOf(api, `update merchant set billing_tier = 'pro' where id = ? returning id`, [merchantId]);
    const body = { name: 'Late', preset: 'readonly' };
    const results = await Promise.all([
      ...Array.from({ length: 8 }, () => api.call('POST', '/auth/keys', { key: child.value, body })),
      api.call('DELETE', `/auth/keys/${parent.keyId}`, { key: master, query: { descendants: 'true' } }),
      ...Array.from({ length: 8 }, () => api.call('POST', '/auth/keys', { key: child.value, body })),
    ]);
    expect(results.every(({ status }) => [200, 201, 401].includes(status))).toBe(true);
    const { data } = await api.call('DELETE', `/auth/keys/${parent.keyId}`, { key: master });
    expect(data.descendants).toBe(0);
  });
});
