import { openPool } from '../../../bench/support/pg.ts';
import { seedMembers, seedProgram } from '../../../bench/support/seed.ts';
import { totalsOf } from '../../../src/contracts/workflows/payout-runs.ts';
import { checkRun, createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import { makeMerchant } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { draftRun } from '../../support/payout-runs.ts';
import { rowsOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const BROKEN = Number(process.env['TEST_BROKEN_ITEMS'] ?? 1_500);
const HEALTHY = 5;
/** Steps of the workflow, each taking some seconds: far more than are needed. */
const MAX_STEPS = 20 + BROKEN / 100;

test('more items that fail than a step can try stop nobody behind them, and are tried again by the page while it helps', async () => {
  const { runtime } = api;
  const { merchantId, key } = await makeMerchant(runtime);
  const database = openPool(ownerUrlOf(api), 1);
  const programId = await seedProgram(runtime, database, merchantId);
  await seedMembers(runtime, database, { merchantId, programId, count: BROKEN + HEALTHY }).finally(() => database.end());
  const { runId, confirm } = await draftRun(api, { key, programId });
  await confirm();
  const first = `select affiliate_id from payout_run_item where run_id = ? order by affiliate_id limit ${BROKEN}`;
  const profileOf = (affiliates: string) => `id in (select profile_id from affiliate where id in (${affiliates}))`;
  await rowsOf(api, `update affiliate_profile set payout_details = 'x' || payout_details where ${profileOf(first)}`, [runId]);

  const ctx = () => runtime.context({ kind: 'system', name: 'payoutRun' });
  const step = async () => {
    const { stuck, ...run } = await createRunPayouts(ctx(), { runId });
    return { stuck, ...totalsOf({ stuck, ...run }) };
  };
  const until = async (isReached: (run: Awaited<ReturnType<typeof step>>) => boolean) => {
    for (let steps = 1; steps <= MAX_STEPS; steps++) {
      const run = await step();
      if (isReached(run)) return run;
    }
    throw new Error('too many steps');
  };
  // The workflow waits, longer each time, once all that is left has failed.
  expect(await until(({ planned, stuck }) => planned === stuck)).toMatchObject({
    payouts: HEALTHY,
    planned: BROKEN,
    stuck: BROKEN,
  });
  expect(await checkRun(ctx(), { runId })).toMatchObject({ status: 'running', stuck: BROKEN });
  const tried = async () =>
    Number((await rowsOf(api, 'select sum(tries) as tries from payout_run_item where run_id = ?', [runId]))[0]?.tries);
  expect(await tried()).toBe(BROKEN);
  expect(await step()).toMatchObject({ payouts: HEALTHY, stuck: BROKEN });
  expect(await tried()).toBeGreaterThan(BROKEN);
  expect(await tried()).toBeLessThanOrEqual(BROKEN + 100);

  // A payout that can be paid again gets its turn, whatever its id, because the others were tried more often.
  const [last] = await rowsOf(
    api,
    `select max(affiliate_id::text) as id from payout_run_item where run_id = ? and result = 'planned'`,
    [runId],
  );
  await rowsOf(api, `update affiliate_profile set payout_details = substr(payout_details, 2) where ${profileOf('?')}`, [
    last?.id,
  ]);
  await rowsOf(api, 'update payout_run_item set tries = 9 where run_id = ? and affiliate_id <> ?', [runId, last?.id]);
  expect(await step()).toMatchObject({ payouts: HEALTHY + 1, stuck: BROKEN - 1 });
});
