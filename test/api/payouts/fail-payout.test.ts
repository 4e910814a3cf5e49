import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

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
