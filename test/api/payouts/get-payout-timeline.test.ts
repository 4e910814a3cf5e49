import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

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
