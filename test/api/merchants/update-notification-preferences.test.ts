import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();
const DEFAULTS = {
  newAffiliate: true,
  newConversion: true,
  commissionApproved: true,
  payoutProcessed: true,
  weeklyDigest: false,
};

const update = (key: string, body: unknown) => api.call('PUT', '/merchant/notifications', { key, body });

test('a request changes what is given and keeps the rest, also as part of the merchant', async () => {
  const { key } = await makeMerchant(api.runtime);
  const first = await update(key, { newConversion: false, weeklyDigest: true });
  expect(first).toMatchObject({ status: 200, data: { ...DEFAULTS, newConversion: false, weeklyDigest: true } });
  const second = await update(key, { newConversion: true });
  expect(second.data).toEqual({ ...DEFAULTS, weeklyDigest: true });
  expect((await api.call('GET', '/merchant/notifications', { key })).data).toEqual(second.data);
  expect((await api.call('GET', '/merchant', { key })).data.notificationPreferences).toEqual(second.data);
  expect((await api.call('PATCH', '/merchant', { key, body: {} })).data.notificationPreferences).toEqual(second.data);
});

test('nothing changes without a field, or with the values that hold', async () => {
  const { key } = await makeMerchant(api.runtime);
  const before = (await api.call('GET', '/merchant', { key })).data;
  expect(await update(key, {})).toMatchObject({ status: 200, data: DEFAULTS });
  expect(await update(key, { newAffiliate: true })).toMatchObject({ status: 200, data: DEFAULTS });
  expect((await api.call('GET', '/merchant', { key })).data).toEqual(before);
});

test.each([
  ['newAffiliate', { newAffiliate: 'true' }],
  ['newConversion', { newConversion: null }],
  ['weeklyDigest', { weeklyDigest: 1 }],
  ['newSale', { newSale: true }],
])('an invalid %s changes nothing', async (path, body) => {
  const { key } = await makeMerchant(api.runtime);
  const refused = await update(key, { payoutProcessed: false, ...body });
  expect(refused).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
  expect(refused.text).toContain(path);
  expect((await api.call('GET', '/merchant/notifications', { key })).data).toEqual(DEFAULTS);
});

test('two updates at once keep both changes', async () => {
  const { key } = await makeMerchant(api.runtime);
  await Promise.all([update(key, { newAffiliate: false }), update(key, { payoutProcessed: false })]);
  expect((await api.call('GET', '/merchant/notifications', { key })).data).toMatchObject({
    newAffiliate: false,
    payoutProcessed: false,
  });
});

test('the operation needs merchant:manage', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:read'] });
  expect(await update(key, { weeklyDigest: true })).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
});
