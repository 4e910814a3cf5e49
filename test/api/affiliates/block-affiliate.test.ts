import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const makeMerchantAffiliate = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  return { ...merchant, ...(await makeAffiliate(api.runtime, programId)) };
};

const block = (key: string, id: string, body?: unknown) => api.call('POST', `/affiliates/${id}/block`, { key, body });

test('a blocked affiliate has the time and reason of the block', async () => {
  const { key, affiliateId } = await makeMerchantAffiliate();
  const response = await block(key, affiliateId, { reason: 'Bids on our brand name' });
  expect(response).toMatchObject({
    status: 200,
    data: { id: affiliateId, status: 'blocked', blockedAt: expect.any(String), blockedReason: 'Bids on our brand name' },
  });
  const single = (await api.call('GET', `/affiliates/${affiliateId}`, { key })).data;
  expect(single).toEqual({ ...response.data, payoutDetails: null });
});

test('the reason is optional', async () => {
  const { key, affiliateId } = await makeMerchantAffiliate();
  expect(await block(key, affiliateId)).toMatchObject({ status: 200, data: { status: 'blocked', blockedReason: null } });
});

test('blocking twice returns the same record and keeps the first time and reason', async () => {
  const { key, affiliateId } = await makeMerchantAffiliate();
  const first = await block(key, affiliateId, { reason: 'First' });
  const again = await block(key, affiliateId, { reason: 'Second' });
  expect(again).toMatchObject({ status: 200, data: first.data });
});

test.each([
  ['reason', { reason: 'x'.repeat(501) }],
  ['reason', { reason: 5 }],
  ['status', { status: 'approved' }],
])('an invalid %s is reported: %j', async (path, body) => {
  const { key, affiliateId } = await makeMerchantAffiliate();
  expect(await block(key, affiliateId, body)).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
});
