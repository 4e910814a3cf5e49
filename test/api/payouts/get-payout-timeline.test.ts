import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

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
