import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';
import { until } from '../../support/until.ts';

const api = useTestApi();

it('200: fails the payout, and its amount is payable again', async () => {
  const { act, key, affiliateId } = await makePayout(api);
  await act('process');
  const response = await act('fail', { note: 'The bank refused it' });
  expect(response.status).toBe(200);
  expect(response.data).toMatchObject({ status: 'failed', failureCode: 'marked_failed', failedAt: expect.any(String) });
  expect((await api.call('GET', '/payouts/pending', { key })).data).toMatchObject([{ affiliateId, pendingAmount: 2000 }]);
  // An event is listed once no transaction is open that began before its own, of other tests too.
  const list = () => api.call('GET', '/events', { key, query: { types: 'payout.failed' } });
  const events = await until('the event is listed', list, ({ data }) => data.length > 0);
  expect(events.data).toMatchObject([{ data: { id: response.data.id, failureCode: 'marked_failed' } }]);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it.each(['pending', 'failed'])('409 ILLEGAL_TRANSITION from %s', async (from) => {
  const { act, read } = await makePayout(api);
  if (from === 'failed') {
    await act('process');
    await act('fail');
  }
  const response = await act('fail');
  expect(response.status).toBe(409);
  expect(response.error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from, to: 'failed' });
  expect(await read()).toMatchObject({ status: from });
});

it('MO3: 409 ALREADY_COMPLETED from completed, with a note too: a late click makes nothing payable again', async () => {
  const { act, read } = await makePayout(api);
  await act('process');
  await act('complete');
  for (const body of [undefined, { note: 'The bank sent it back' }]) {
    const response = await act('fail', body);
    expect([response.status, response.error.details]).toEqual([409, { reason: 'ALREADY_COMPLETED' }]);
  }
  expect(await read()).toMatchObject({ status: 'completed' });
});

it('MO3: of several decisions at once, one wins', async () => {
  const { act, read } = await makePayout(api);
  await act('process');
  const decisions = await Promise.all([act('complete'), act('fail'), act('complete'), act('fail')]);
  expect(decisions.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(decisions.find(({ status }) => status === 200)?.data.status).toBe((await read()).status);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});
