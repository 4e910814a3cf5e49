import { openTestApi, type TestApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

it('200: all entries, oldest first, with actor and note', async () => {
  const { key, keyId, payoutId, act } = await makePayout(api);
  await act('process');
  await act('fail', { note: 'Account closed' });
  const response = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(response.status).toBe(200);
  expect(response.data).toMatchObject([
    { type: 'created', description: 'Payout created', from: null, to: 'pending', actor: `key:${keyId}` },
    { type: 'attempt_reserved', from: 'pending', to: 'processing', attempt: 1 },
    { type: 'marked_failed', from: 'processing', to: 'failed', attempt: 1, note: 'Account closed' },
  ]);
});

it('404 for a missing and 403 for a foreign payout', async () => {
  const own = await makePayout(api);
  const other = await makePayout(api);
  expect((await api.call('GET', `/payouts/${MISSING_ID}/timeline`, { key: own.key })).status).toBe(404);
  expect((await api.call('GET', `/payouts/${other.payoutId}/timeline`, { key: own.key })).status).toBe(403);
});
