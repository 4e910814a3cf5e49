import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeManualRun, resultsOf } from './by-hand.ts';

const api = useOwnApi();

afterEach(async () => {
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

test('all that are processing are paid when the figures are those that the person saw', async () => {
  const { act, statuses } = await makeManualRun(api);
  await act('process');
  for (const body of [
    { items: 1, total: { usd: 4_000 } },
    { items: 2, total: { usd: 3_999 } },
    { items: 2, total: { eur: 4_000 } },
  ]) {
    const refused = await act('complete', body);
    expect([refused.status, refused.error.details]).toEqual([409, { reason: 'RUN_CHANGED', items: 2, total: { usd: 4_000 } }]);
  }
  const { data } = await act('complete', { items: 2, total: { usd: 4_000 }, executedAt: new Date().toISOString() });
  expect(resultsOf(data)).toEqual(['done', 'done']);
  expect(await statuses()).toEqual(['completed', 'completed']);
});

test('named payouts are paid, each by itself: others are refused, repeated ones unchanged, at once too', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 3);
  const foreign = await makePayout(api);
  await act('process');
  const [first, second] = payoutIds;
  const body = { payoutIds: [first, first, second, foreign.payoutId, MISSING_ID] };
  const [a, b] = await Promise.all([act('complete', body), act('complete', body)]);
  expect([a.data.done + b.data.done, a.data.unchanged + b.data.unchanged, a.data.refused]).toEqual([2, 2, 2]);
  expect(resultsOf(a.data).filter((result) => result.startsWith('refused'))).toEqual(['refused NOT_FOUND', 'refused NOT_FOUND']);
  expect((await statuses()).toSorted()).toEqual(['completed', 'completed', 'processing']);
  expect((await foreign.read()).status).toBe('pending');
});

test('a pending payout is refused and stays as it is', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api);
  const { data } = await act('complete', { payoutIds });
  expect(resultsOf(data)).toEqual(['refused ILLEGAL_TRANSITION', 'refused ILLEGAL_TRANSITION']);
  expect(await statuses()).toEqual(['pending', 'pending']);
});

test('a payout that a provider pays is never marked by hand', async () => {
  const { act, runId, payoutIds } = await makeManualRun(api, 2);
  await act('process');
  await rowsOf(api, `update payout set rail = 'sandbox' where id = ?`, [payoutIds[1]]);
  const { data } = await act('complete', { payoutIds, note: 'By the bank statement' });
  expect(resultsOf(data)).toEqual(['done', 'refused RAIL_NOT_MANUAL']);
  const entries = await rowsOf(
    api,
    `select count(*)::int as count from payout_timeline t join payout p on p.id = t.payout_id
     where p.payout_run_id = ? and t.type = 'marked_paid'`,
    [runId],
  );
  expect(entries).toEqual([{ count: 1 }]);
});

test('a body without payouts and figures is 422', async () => {
  const { act } = await makeManualRun(api, 1);
  for (const body of [{}, { items: 1 }, { total: { usd: 1 } }, { payoutIds: [] }, { payoutIds: ['x'] }, { payoutIds: null }]) {
    expect((await act('complete', body)).status).toBe(422);
  }
});
