import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: fails, and the money is payable again', async () => {
  const { act, key, affiliateId } = await makePayout(api);
  await act('process');
  const answer = await act('fail', { note: 'The bank refused it' });
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject({ status: 'failed', failureCode: 'marked_failed', failedAt: expect.any(String) });
  expect((await api.call('GET', '/payouts/pending', { key })).data).toMatchObject([{ affiliateId, pendingAmount: 2000 }]);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it.each(['pending', 'completed', 'failed'])('409 ILLEGAL_TRANSITION from %s', async (from) => {
  const { act, read } = await makePayout(api);
  if (from !== 'pending') await act('process');
  if (from !== 'pending') await act(from === 'completed' ? 'complete' : 'fail');
  const answer = await act('fail');
  expect(answer.status).toBe(409);
  expect(answer.error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from, to: 'failed' });
  expect(await read()).toMatchObject({ status: from });
});

it('404 for a missing and 403 for a foreign payout, 422 for an unknown field', async () => {
  const own = await makePayout(api);
  const other = await makePayout(api);
  expect((await api.call('POST', `/payouts/${MISSING_ID}/fail`, { key: own.key })).status).toBe(404);
  expect((await api.call('POST', `/payouts/${other.payoutId}/fail`, { key: own.key })).status).toBe(403);
  expect((await own.act('fail', { code: 'x' })).status).toBe(422);
});
