import { onEachPayout } from '../../../src/domains/payout-runs/each-payout.steps.ts';
import { processRunPayouts } from '../../../src/domains/payout-runs/use-cases/pay-run-by-hand.ts';
import { processPayout } from '../../../src/domains/payouts/index.ts';
import { makeManualRun } from '../../api/payout-runs/by-hand.ts';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi();
const system = () => api.runtime.context({ kind: 'system', name: 'test' });

const payoutsOf = (runId: string): Promise<{ id: string; affiliateId: string }[]> =>
  rowsOf(api, `select id, affiliate_id as "affiliateId" from payout where payout_run_id = ? order by affiliate_id`, [runId]);

test('after a crash in the middle the pages that were committed stay done, and the second call does the rest', async () => {
  const { runId, statuses } = await makeManualRun(api, 2);
  const [first, second] = await payoutsOf(runId);
  if (!first || !second) throw new Error('the run has two payouts');
  // Its first page is full of one payout, so that the other one is in the second.
  const payouts = [...Array<typeof first>(100).fill(first), second];
  const crash = onEachPayout(system(), {
    payouts,
    async work(ctx, id) {
      if (id === second.id) {
        await processPayout(ctx, { id });
        throw new Error('the connection is lost');
      }
      return processPayout(ctx, { id });
    },
  });
  await expect(crash).rejects.toThrow('the connection is lost');
  expect((await statuses()).toSorted()).toEqual(['pending', 'processing']);
  expect(await processRunPayouts(system(), { id: runId })).toMatchObject({ done: 1, refused: 0, remaining: 0 });
  expect(await statuses()).toEqual(['processing', 'processing']);
});

test('a refused payout leaves nothing behind, and the others of its page are done', async () => {
  const { runId, statuses } = await makeManualRun(api, 3);
  const payouts = await payoutsOf(runId);
  const { outcomes } = await onEachPayout(system(), {
    payouts,
    async work(ctx, id) {
      await processPayout(ctx, { id });
      // Now it is processing, and cannot become so again.
      if (id === payouts[1]?.id) await processPayout(ctx, { id });
      return id;
    },
  });
  expect(outcomes.map((outcome) => 'done' in outcome)).toEqual([true, false, true]);
  expect((await statuses()).toSorted()).toEqual(['pending', 'processing', 'processing']);
});

test('a run that is paused in the middle stops at the next page', async () => {
  const { runId, statuses, pause } = await makeManualRun(api, 2);
  const [first, second] = await payoutsOf(runId);
  if (!first || !second) throw new Error('the run has two payouts');
  let paused: Promise<unknown> = Promise.resolve();
  const { outcomes } = await onEachPayout(system(), {
    payouts: [...Array<typeof first>(100).fill(first), second],
    runId,
    async work(ctx, id) {
      paused = paused.then(() => undefined);
      const [row] = await ctx.em.execute<{ status: string }[]>('select status from payout where id = ?', [id]);
      if (row?.status === 'pending') await processPayout(ctx, { id });
      // Waits for the page, which holds the run.
      paused = Promise.all([paused, pause()]);
      return id;
    },
  });
  await paused;
  expect(outcomes.at(-1)).toMatchObject({ payoutId: second.id, refused: { details: { reason: 'RUN_PAUSED' } } });
  expect((await statuses()).toSorted()).toEqual(['pending', 'processing']);
});
