import { useTestApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: the payout in its published shape', async () => {
  const { key, payoutId, affiliateId, programId } = await makePayout(api);
  const answer = await api.call('GET', `/payouts/${payoutId}`, { key });
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({
    id: payoutId,
    affiliateId,
    programId,
    amount: 2000,
    currency: 'usd',
    status: 'pending',
    method: 'paypal',
    rail: 'manual',
    notes: null,
    retryOf: null,
    needsAttention: false,
    failureCode: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    processingAt: null,
    completedAt: null,
    failedAt: null,
  });
});

it('404 for a missing, 403 for a foreign payout, 400 for an id that is none', async () => {
  const own = await makePayout(api);
  const other = await makePayout(api);
  expect((await api.call('GET', `/payouts/${MISSING_ID}`, { key: own.key })).status).toBe(404);
  expect((await api.call('GET', `/payouts/${other.payoutId}`, { key: own.key })).status).toBe(403);
  expect((await api.call('GET', '/payouts/none', { key: own.key })).status).toBe(400);
});
