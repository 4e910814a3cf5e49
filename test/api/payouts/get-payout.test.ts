import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

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
