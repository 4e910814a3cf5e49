import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { paidByHandOf } from '../../../src/domains/payout-runs/payout-runs.queries.ts';
import { completeRunPayouts } from '../../../src/domains/payout-runs/use-cases/pay-run-by-hand.ts';
import { useOwnApi } from '../../support/api.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeManualRun, resultsOf } from './by-hand.ts';

const api = useOwnApi();

afterEach(async () => {
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

/** A run whose payouts are processing, and what a person sees of it. */
const makeSeen = async (count = 2) => {
  const run = await makeManualRun(api, count);
  await run.act('process');
  const { digest } = await run.read();
  return { ...run, seen: { digest, items: count, total: { usd: 2_000 * count } } };
};

const OTHER_DIGEST = '0'.repeat(64);

test('all that are processing are paid when they are those that the person saw', async () => {
  const { act, statuses, read, seen } = await makeSeen();
  for (const wrong of [
    { digest: OTHER_DIGEST },
    { ...seen, digest: OTHER_DIGEST },
    { ...seen, items: 1 },
    { ...seen, total: { usd: 3_999 } },
    { ...seen, total: { eur: 4_000 } },
  ]) {
    const refused = await act('complete', wrong);
    expect([refused.status, refused.error.details]).toEqual([409, { reason: 'RUN_CHANGED', ...seen }]);
  }
  expect(await statuses()).toEqual(['processing', 'processing']);
  const { data } = await act('complete', { ...seen, executedAt: new Date().toISOString() });
  expect(resultsOf(data)).toEqual(['done', 'done']);
  expect(await statuses()).toEqual(['completed', 'completed']);
  expect((await read()).digest).toBeNull();
});

test('another payout of the same amount is not one that the person saw', async () => {
  const { act, runId, payoutIds, statuses, read } = await makeManualRun(api, 2);
  const [first, second] = payoutIds;
  await rowsOf(api, 'update payout set payout_run_id = null where id = ?', [second]);
  await act('process');
  const { digest } = await read();
  await rowsOf(api, 'update payout set payout_run_id = null where id = ?', [first]);
  await rowsOf(api, 'update payout set payout_run_id = ? where id = ?', [runId, second]);
  await act('process');
  const refused = await act('complete', { digest, items: 1, total: { usd: 2_000 } });
  expect(refused.error.details).toMatchObject({ reason: 'RUN_CHANGED', items: 1, total: { usd: 2_000 } });
  expect(await statuses()).toEqual(['processing']);
});

test('figures beside payouts are compared too, all of them', async () => {
  const { act, payoutIds, statuses, seen } = await makeSeen(3);
  const [first, second] = payoutIds;
  const body = { payoutIds: [first, second, first] };
  for (const wrong of [{ items: 3 }, { total: { usd: 6_000 } }, { digest: seen.digest }, { items: 2, total: { usd: 1 } }]) {
    const refused = await act('complete', { ...body, ...wrong });
    expect([wrong, refused.status, refused.error?.details.reason]).toEqual([wrong, 409, 'RUN_CHANGED']);
  }
  expect(await statuses()).toEqual(['processing', 'processing', 'processing']);
  const right = { ...body, items: 2, total: { usd: 4_000 } };
  expect(resultsOf((await act('complete', right)).data)).toEqual(['done', 'done']);
  expect(resultsOf((await act('complete', right)).data)).toEqual(['unchanged', 'unchanged']);
  expect((await act('complete', { payoutIds, ...seen })).data).toMatchObject({ done: 1, unchanged: 2 });
});

describe('what a confirmation completed counts as seen', () => {
  it('after the time limit, the same request goes on with the rest, as often as it is sent', async () => {
    const { act, runId, payoutIds, statuses, seen } = await makeSeen(3);
    const late = await completeRunPayouts(api.runtime.context({ kind: 'system', name: 'test' }), {
      ...seen,
      id: runId,
      withinMs: 0,
    });
    expect(resultsOf(late)).toEqual(['remaining', 'remaining', 'remaining']);
    // As the pages of a request that ended before the others.
    await act('complete', { payoutIds: [payoutIds[1]] });
    expect((await act('complete', seen)).data).toMatchObject({ done: 2, unchanged: 1, refused: 0, remaining: 0 });
    expect(await statuses()).toEqual(['completed', 'completed', 'completed']);
    expect((await act('complete', seen)).data).toMatchObject({ done: 0, unchanged: 3 });
  });

  it('other figures are refused still, and what began later is not marked', async () => {
    const { act, runId, payoutIds, statuses, seen } = await makeSeen(3);
    const [first, , last] = payoutIds;
    await rowsOf(api, 'update payout set payout_run_id = null where id = ?', [last]);
    const two = { ...seen, items: 2, total: { usd: 4_000 }, digest: await digestOfRun(runId) };
    await completeRunPayouts(api.runtime.context({ kind: 'system', name: 'test' }), { ...two, id: runId, withinMs: 0 });
    await act('complete', { payoutIds: [first] });
    await rowsOf(api, 'update payout set payout_run_id = ? where id = ?', [runId, last]);
    expect((await act('complete', { ...two, items: 1 })).error.details).toMatchObject({ reason: 'RUN_CHANGED', items: 2 });
    expect((await act('complete', two)).data).toMatchObject({ done: 1, unchanged: 1 });
    expect(await statuses()).toEqual(['completed', 'completed', 'processing']);
  });

  it('at once too: each payout is done once', async () => {
    const { act, seen } = await makeSeen(3);
    const answers = await Promise.all([act('complete', seen), act('complete', seen), act('complete', seen)]);
    const sum = (name: 'done' | 'unchanged' | 'refused') => answers.reduce((sum, { data }) => sum + data[name], 0);
    expect([sum('done'), sum('unchanged'), sum('refused')]).toEqual([3, 6, 0]);
  });
});

const digestOfRun = async (runId: string): Promise<string> =>
  (await paidByHandOf(api.runtime.context({ kind: 'system', name: 'test' }), runId)).digest ?? '';

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

test('a body that names no payouts is 422', async () => {
  const { act } = await makeManualRun(api, 1);
  for (const body of [
    {},
    { items: 1 },
    { items: 1, total: { usd: 2_000 } },
    { payoutIds: [] },
    { payoutIds: ['x'] },
    { payoutIds: null },
    { digest: '' },
    { digest: 'x'.repeat(64) },
    { digest: '0'.repeat(65) },
  ])
    expect([body, (await act('complete', body)).status]).toEqual([body, 422]);
});
