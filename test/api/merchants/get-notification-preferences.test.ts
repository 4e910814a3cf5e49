import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

test('returns the defaults before any change', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await api.call('GET', '/merchant/notifications', { key })).toMatchObject({
    status: 200,
    data: { newAffiliate: true, newConversion: true, commissionApproved: true, payoutProcessed: true, weeklyDigest: false },
  });
  expect((await api.call('GET', '/merchant', { key })).data.notificationPreferences).toBeNull();
});

test('merchants see their own preferences only, and need merchant:read', async () => {
  const [one, other] = [await makeMerchant(api.runtime), await makeMerchant(api.runtime)];
  await api.call('PUT', '/merchant/notifications', { key: one.key, body: { weeklyDigest: true } });
  expect((await api.call('GET', '/merchant/notifications', { key: other.key })).data.weeklyDigest).toBe(false);
  const { key } = await makeKey(api.runtime, { ownerId: one.merchantId, scopes: ['programs:read'] });
  expect(await api.call('GET', '/merchant/notifications', { key })).toMatchObject({
    status: 403,
    error: { code: 'INSUFFICIENT_SCOPE' },
  });
});
