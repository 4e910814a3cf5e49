import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const makeBlocked = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const affiliate = await makeAffiliate(api.runtime, programId);
  await api.call('POST', `/affiliates/${affiliate.affiliateId}/block`, { key: merchant.key, body: { reason: 'Mistake' } });
  return { ...merchant, ...affiliate };
};

const unblock = (key: string, id: string, body?: unknown) => api.call('POST', `/affiliates/${id}/unblock`, { key, body });

test('unblocking restores the approved status and clears the block', async () => {
  const { key, affiliateId, code } = await makeBlocked();
  expect(await unblock(key, affiliateId)).toMatchObject({
    status: 200,
    data: { id: affiliateId, code, status: 'approved', blockedAt: null, blockedReason: null },
  });
  expect((await api.call('GET', '/affiliates', { key })).meta.total).toBe(1);
});

test('unblocking twice returns the same record', async () => {
  const { key, affiliateId } = await makeBlocked();
  const first = await unblock(key, affiliateId);
  expect(await unblock(key, affiliateId)).toMatchObject({ status: 200, data: first.data });
});
