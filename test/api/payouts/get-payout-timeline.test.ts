import { useTestApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: everything that happened, oldest first, with who and why', async () => {
  const { key, keyId, payoutId, act } = await makePayout(api);
  await act('process');
  await act('fail', { note: 'Account closed' });
  const answer = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject([
    { what: 'created', from: null, to: 'pending', actor: `key:${keyId}` },
    { what: 'attempt started', from: 'pending', to: 'processing', attempt: 1 },
    { what: 'marked failed by hand', from: 'processing', to: 'failed', attempt: 1, reason: 'Account closed' },
  ]);
});

it('404 for a missing and 403 for a foreign payout', async () => {
  const own = await makePayout(api);
  const other = await makePayout(api);
  expect((await api.call('GET', `/payouts/${MISSING_ID}/timeline`, { key: own.key })).status).toBe(404);
  expect((await api.call('GET', `/payouts/${other.payoutId}/timeline`, { key: own.key })).status).toBe(403);
});
