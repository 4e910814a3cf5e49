import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

const setUp = (key: string, body: unknown = { companyName: 'Acme GmbH' }) =>
  api.call('POST', '/onboarding/merchant', { key, body });

test.each(['merchant', 'onboarding'] as const)('a %s key names the company; a repeat changes nothing', async (keyType) => {
  const { merchantId, key: merchantKey } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, keyType });
  expect(await setUp(key)).toMatchObject({ status: 200, data: { merchantId, companyName: 'Acme GmbH' } });
  const { data } = await api.call('GET', '/merchant', { key: merchantKey });
  expect(data).toMatchObject({ companyName: 'Acme GmbH', onboardingStep: 2, onboardingCompleted: false });
  expect((await setUp(key)).status).toBe(200);
  expect((await api.call('GET', '/merchant', { key: merchantKey })).data).toEqual(data);
});

test('a completed setup stays complete', async () => {
  const { key } = await makeMerchant(api.runtime);
  await api.call('POST', '/onboarding/complete', { key });
  await setUp(key, { companyName: 'Renamed' });
  expect((await api.call('GET', '/merchant', { key })).data).toMatchObject({
    companyName: 'Renamed',
    onboardingStep: 4,
    onboardingCompleted: true,
  });
});

test.each([{}, { companyName: '' }, { companyName: ' ' }, { companyName: 'x'.repeat(101) }, { companyName: 'a\u0000' }])(
  '422 for %j, and nothing changes',
  async (body) => {
    const { key } = await makeMerchant(api.runtime);
    const before = (await api.call('GET', '/merchant', { key })).data;
    expect(await setUp(key, body)).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
    expect((await api.call('GET', '/merchant', { key })).data).toEqual(before);
  },
);

test('an affiliate key and a key without the scope are rejected', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const scoped = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:read'] });
  expect(await setUp(scoped.key)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  const affiliate = await makeKey(api.runtime, { ownerId: merchantId, keyType: 'affiliate' });
  expect(await setUp(affiliate.key)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});
