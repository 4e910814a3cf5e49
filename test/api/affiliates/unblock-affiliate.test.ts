import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

const makeBlocked = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const member = await makeAffiliate(api.runtime, programId);
  await api.call('POST', `/affiliates/${member.affiliateId}/block`, { key: merchant.key, body: { reason: 'Mistake' } });
  return { ...merchant, ...member };
};

const unblock = (key: string, id: string, body?: unknown) => api.call('POST', `/affiliates/${id}/unblock`, { key, body });

test('an unblocked affiliate is approved again and keeps no trace of the block', async () => {
  const { key, affiliateId, code } = await makeBlocked();
  expect(await unblock(key, affiliateId)).toMatchObject({
    status: 200,
    data: { id: affiliateId, code, status: 'approved', blockedAt: null, blockedReason: null },
  });
  expect((await api.call('GET', '/affiliates', { key })).meta.total).toBe(1);
});

test('unblocking twice answers the same record', async () => {
  const { key, affiliateId } = await makeBlocked();
  const first = await unblock(key, affiliateId);
  expect(await unblock(key, affiliateId)).toMatchObject({ status: 200, data: first.data });
});

test("a missing affiliate is 404 and somebody else's is 403 and stays blocked", async () => {
  const mine = await makeMerchant(api.runtime);
  const theirs = await makeBlocked();
  expect(await unblock(mine.key, MISSING)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  expect(await unblock(mine.key, theirs.affiliateId)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  expect((await api.call('GET', `/affiliates/${theirs.affiliateId}`, { key: theirs.key })).data.status).toBe('blocked');
});

test('an id that is no UUID, and a body, are bad requests', async () => {
  const { key, affiliateId } = await makeBlocked();
  expect((await unblock(key, 'ada')).error.code).toBe('BAD_REQUEST');
  const refused = await unblock(key, affiliateId, { reason: 'none' });
  expect(refused).toMatchObject({ status: 400, error: { details: { reason: 'BODY_NOT_ALLOWED' } } });
});
