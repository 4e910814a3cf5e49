import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: fails the payout, and its amount is payable again', async () => {
  const { act, key, affiliateId } = await makePayout(api);
  await act('process');
  const response = await act('fail', { note: 'The bank refused it' });
  expect(response.status).toBe(200);
  expect(response.data).toMatchObject({ status: 'failed', failureCode: 'marked_failed', failedAt: expect.any(String) });
  expect((await api.call('GET', '/payouts/pending', { key })).data).toMatchObject([{ affiliateId, pendingAmount: 2000 }]);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it.each(['pending', 'completed', 'failed'])('409 ILLEGAL_TRANSITION from %s', async (from) => {
  const { act, read } = await makePayout(api);
  if (from !== 'pending') await act('process');
  if (from !== 'pending') await act(from === 'completed' ? 'complete' : 'fail');
  const response = await act('fail');
  expect(response.status).toBe(409);
  expect(response.error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from, to: 'failed' });
  expect(await read()).toMatchObject({ status: from });
});

it('W2: a manual transfer that bounced fails a completed payout, with a note, and its money is payable again', async () => {
  const { act, key, affiliateId, payoutId } = await makePayout(api);
  await act('process');
  await act('complete');
  expect((await act('fail')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'completed' });
  const bounced = await act('fail', { note: 'The bank sent it back' });
  expect(bounced.data).toMatchObject({ status: 'failed', failureCode: 'returned' });
  expect((await api.call('GET', '/payouts/pending', { key })).data).toMatchObject([{ affiliateId, pendingAmount: 2000 }]);
  const timeline = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(timeline.data.at(-1)).toMatchObject({ from: 'completed', to: 'failed', note: 'The bank sent it back' });
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});
