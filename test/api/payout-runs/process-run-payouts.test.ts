import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeManualRun, resultsOf } from './by-hand.ts';

const api = useTestApi();

test('all pending manual payouts of a run are marked as in progress, by two at once too', async () => {
  const { act, statuses } = await makeManualRun(api, 3);
  const [first, second] = await Promise.all([act('process'), act('process')]);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(first.data.done + second.data.done).toBe(3);
  expect(await statuses()).toEqual(['processing', 'processing', 'processing']);
  expect((await act('process')).data).toEqual({ done: 0, unchanged: 0, refused: 0, remaining: 0, items: [] });
});

test('the payout of a blocked affiliate fails and stops no other', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api);
  await rowsOf(api, `update affiliate set status = 'blocked' where id = (select affiliate_id from payout where id = ?)`, [
    payoutIds[0],
  ]);
  const { data } = await act('process');
  expect(data.done).toBe(2);
  expect(await statuses()).toEqual(['failed', 'processing']);
});

test('a paused run refuses, and so does the run of another merchant and one that does not exist', async () => {
  const { act, pause, statuses } = await makeManualRun(api);
  const other = await makeMerchant(api.runtime);
  expect((await act('process', undefined, other.key)).status).toBe(403);
  expect((await api.call('POST', `/payout-runs/${MISSING_ID}/process`, { key: other.key })).status).toBe(404);
  await pause();
  const refused = await act('process');
  expect([refused.status, refused.error.details.reason]).toEqual([409, 'RUN_PAUSED']);
  expect(await statuses()).toEqual(['pending', 'pending']);
});

test('what one request does in several transactions is replayed under the same key, and done once', async () => {
  const { key, runId, statuses } = await makeManualRun(api);
  const send = () =>
    api.call('POST', `/payout-runs/${runId}/process`, { key, headers: { 'idempotency-key': `process-${runId}` } });
  const first = await send();
  expect(resultsOf(first.data)).toEqual(['done', 'done']);
  expect((await send()).data).toEqual(first.data);
  expect(await statuses()).toEqual(['processing', 'processing']);
});
