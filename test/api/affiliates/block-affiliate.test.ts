import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const makeMember = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  return { ...merchant, ...(await makeAffiliate(api.runtime, programId)) };
};

const block = (key: string, id: string, body?: unknown) => api.call('POST', `/affiliates/${id}/block`, { key, body });

test('a blocked affiliate says since when and why', async () => {
  const { key, affiliateId } = await makeMember();
  const answer = await block(key, affiliateId, { reason: 'Bids on our brand name' });
  expect(answer).toMatchObject({
    status: 200,
    data: { id: affiliateId, status: 'blocked', blockedAt: expect.any(String), blockedReason: 'Bids on our brand name' },
  });
  expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data).toEqual(answer.data);
});

test('a reason is not needed', async () => {
  const { key, affiliateId } = await makeMember();
  expect(await block(key, affiliateId)).toMatchObject({ status: 200, data: { status: 'blocked', blockedReason: null } });
});

test('blocking twice answers the same record: the first moment and reason stay', async () => {
  const { key, affiliateId } = await makeMember();
  const first = await block(key, affiliateId, { reason: 'First' });
  const again = await block(key, affiliateId, { reason: 'Second' });
  expect(again).toMatchObject({ status: 200, data: first.data });
});

test.each([
  ['reason', { reason: 'x'.repeat(501) }],
  ['reason', { reason: 5 }],
  ['status', { status: 'approved' }],
])('a mistake in %s is named: %j', async (path, body) => {
  const { key, affiliateId } = await makeMember();
  expect(await block(key, affiliateId, body)).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
});
