import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

const THRESHOLD = { payoutApprovalThreshold: { usd: 100_000 } };

describe('payoutApprovalThreshold', () => {
  it('409 NO_SECOND_ACTOR: unless active keys of two lines may approve', async () => {
    const { merchantId, key } = await makeMerchant(api.runtime);
    const set = (body: unknown = THRESHOLD) => api.call('PATCH', '/merchant', { key, body });
    const isRefused = async () => {
      const refused = await set();
      expect(refused).toMatchObject({ status: 409, error: { details: { reason: 'NO_SECOND_ACTOR' } } });
      expect((await api.call('GET', '/merchant', { key })).data.payoutApprovalThreshold).toBeNull();
    };
    await isRefused();
    await api.call('POST', '/auth/keys', { key, body: { name: 'made by the first', preset: 'merchant:full' } });
    await isRefused();
    await makeKey(api.runtime, { ownerId: merchantId, preset: 'readonly' });
    await isRefused();
    const { keyId } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:write'] });
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    await em.execute('update api_key set revoked_at = now() where id = ?', [keyId]);
    await isRefused();
    expect((await set({ payoutApprovalThreshold: {} })).status).toBe(200);
    expect((await set({ payoutApprovalThreshold: null })).status).toBe(200);
    await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:write'] });
    expect(await set({ payoutApprovalThreshold: { USD: 100_000 } })).toMatchObject({ status: 200, data: THRESHOLD });
    expect((await api.call('GET', '/merchant', { key })).data).toMatchObject(THRESHOLD);
  });

  it.each([[{ usd: 0 }], [{ usd: -1 }], [{ usd: 1.5 }], [{ usd: '5' }], [{ xxx: 1 }], [5], [[]], ['usd']])(
    '422: %j',
    async (payoutApprovalThreshold) => {
      const { key } = await makeMerchant(api.runtime);
      expect((await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold } })).status).toBe(422);
    },
  );
});
