import { openTestApi, type TestApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

it('200: the payout with all its fields', async () => {
  const { key, payoutId, affiliateId, programId } = await makePayout(api);
  const response = await api.call('GET', `/payouts/${payoutId}`, { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
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

it('404 for a missing, 403 for a foreign payout, 400 for a malformed id', async () => {
  const own = await makePayout(api);
  const other = await makePayout(api);
  expect((await api.call('GET', `/payouts/${MISSING_ID}`, { key: own.key })).status).toBe(404);
  expect((await api.call('GET', `/payouts/${other.payoutId}`, { key: own.key })).status).toBe(403);
  expect((await api.call('GET', '/payouts/none', { key: own.key })).status).toBe(400);
});
