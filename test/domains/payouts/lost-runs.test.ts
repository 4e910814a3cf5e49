import { claimRun, noteTerminatedRun, UNFINISHED_PAYOUTS } from '../../../src/domains/payouts/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const RUNS = {
  first: '00000000-0000-4000-8000-000000000001',
  second: '00000000-0000-4000-8000-000000000002',
};

beforeEach(() => api.provider.onSubmit((order) => transferOf(order, 'accepted')));

const asRun = (id: string, runId: string): Context =>
  api.runtime.context({ kind: 'system', name: 'payoutLifecycle', run: { workflowId: `payout/${id}`, runId } });

const terminate = (id: string, runId: string) =>
  noteTerminatedRun(api.runtime.context({ kind: 'system', name: 'reconciler' }), { workflowId: `payout/${id}`, runId });

/** What the reconciler starts again when it has no open workflow. */
const missingOf = async (payoutId: string): Promise<string[]> => {
  await rowsOf(api, 'delete from outbox where subject_id = ?', [payoutId]);
  const names: string[] = [];
  for (const source of UNFINISHED_PAYOUTS) {
    const page = { after: null, before: new Date(Date.now() + 60_000), limit: 10, ids: [payoutId] };
    const found = await source.list(api.runtime.context({ kind: 'system', name: 'reconciler' }), page);
    if (found.length > 0) names.push(source.name);
  }
  return names;
};

/** The second run shows what it was started for, and once. */
const isShownBySecond = async (payoutId: string, n: number | null): Promise<void> => {
  const id = n === null ? payoutId : `${payoutId}/correction/${n}`;
  const claim = { payoutId, n, startedAt: new Date().toISOString() };
  const claimed = await claimRun(asRun(id, RUNS.second), async () => false, claim);
  expect(claimed).toEqual({ isSuperseded: false, run: RUNS.second });
  expect(await missingOf(payoutId)).toEqual([]);
};

it('a payout that ends between the termination of its workflow and the start of the next one is shown by that one', async () => {
  const { payoutId, send, report } = await payByRail(api);
  await send(asRun(payoutId, RUNS.first));
  await terminate(payoutId, RUNS.first);
  expect(await missingOf(payoutId)).toEqual(['payouts']);
  await report('paid');
  expect(await missingOf(payoutId)).toEqual(['payouts that no workflow shows']);
  await isShownBySecond(payoutId, null);
});

it('a correction that is booked between the termination of its workflow and the start of the next one is shown by that one', async () => {
  const { payoutId, send, report, act, corrections } = await payByRail(api);
  await send(asRun(payoutId, RUNS.first));
  await report('paid');
  await act('return', { note: 'The bank told us' });
  await rowsOf(api, 'update payout_correction set run_id = ? where payout_id = ?', [RUNS.first, payoutId]);
  await terminate(`${payoutId}/correction/1`, RUNS.first);
  await act('return', { note: 'The bank told us', evidence: 'Statement 12' });
  expect(await corrections()).toMatchObject([{ status: 'booked', run_lost: true }]);
  expect(await missingOf(payoutId)).toEqual(['corrections']);
  await isShownBySecond(payoutId, 1);
});

it('a run that was terminated before it sent anything is replaced by the one that sends', async () => {
  const { payoutId, send, report } = await payByRail(api);
  await terminate(payoutId, RUNS.first);
  await send(asRun(payoutId, RUNS.second));
  await report('paid');
  expect(await missingOf(payoutId)).toEqual([]);
});

it('what another run shows is not lost with a run that was reset', async () => {
  const { payoutId, send, report } = await payByRail(api);
  await send(asRun(payoutId, RUNS.first));
  await report('paid');
  await terminate(payoutId, RUNS.second);
  expect(await missingOf(payoutId)).toEqual([]);
});
