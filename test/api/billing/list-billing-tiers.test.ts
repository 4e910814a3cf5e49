import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

test('the list has all tiers, the cheapest first, as a plain array', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { status, data, meta } = await api.call('GET', '/billing/tiers', { key });
  expect(status).toBe(200);
  expect(data).toMatchObject([
    { id: 'free', name: 'Free', price: 0, maxRevenue: 100_000, bookable: false },
    { id: 'starter', name: 'Starter', price: 2_900, maxRevenue: 1_000_000, bookable: true },
    { id: 'growth', name: 'Growth', price: 9_900, maxRevenue: 5_000_000, bookable: true },
    { id: 'pro', name: 'Pro', price: 29_900, maxRevenue: Number.MAX_SAFE_INTEGER, bookable: true },
  ]);
  for (const { features } of data) expect(features.length).toBeGreaterThan(0);
  expect(Object.keys(meta)).toEqual(['requestId']);
});

test('the operation needs billing:read', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:read'] });
  expect(await api.call('GET', '/billing/tiers', { key })).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
});
