import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { seededRandom } from '../chaos/support/seeded-random.ts';
import { operator, untilSettled } from '../chaos/support/settled.ts';
import { useTestCluster } from '../chaos/support/test-cluster.ts';
import { untilRunIsCompleted } from '../support/payout-runs.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { pause } from '../support/until.ts';

const PAYEES = Number(process.env['TEST_RUN_PAYEES'] ?? 250);
/** Over the time that the run takes. */
const KILLS = Math.max(8, Math.ceil(PAYEES / 100));
const WITHIN_MS = 240_000 + 250 * PAYEES;
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);

const cluster = useTestCluster();

it(
  `a run whose workers and API are killed again and again pays each affiliate once (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const affiliateIds = (await cluster.payables(PAYEES)).map(({ affiliateId }) => affiliateId);
    let api = await cluster.startApi();
    let worker = await cluster.startWorker({ faults: 'run:before-page-commit' });
    const { key, program } = cluster;
    const { data } = await cluster.call('POST', '/payout-runs', { key, body: { programId: program.programId } });
    const { id, total, items } = data;
    expect({ total, items }).toEqual({ total: { usd: 2_000 * PAYEES }, items: PAYEES });
    const confirmed = await cluster.call('POST', `/payout-runs/${id}/confirm`, { key, body: { total, items } });
    expect(confirmed).toMatchObject({ status: 200, data: { status: 'running' } });
    // The first page is rolled back, and the process dies after the second one is committed.
    await worker.ended();
    worker = await cluster.startWorker({ faults: 'run:after-page@2' });
    await worker.ended();
    worker = await cluster.startWorker();
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(500 + random.integer(2_000), 'kills come at random moments');
      if (random.integer(3) === 0) {
        await api.kill();
        api = await cluster.startApi();
      } else {
        await worker.kill();
        worker = await cluster.startWorker();
      }
    }
    await untilRunIsCompleted(cluster, id);
    await untilSettled(cluster.runtime);
    const paid = await rowsOf(cluster, `select affiliate_id, amount, status from payout where payout_run_id = ?`, [id]);
    expect(paid.map((payout) => payout.affiliate_id).sort()).toEqual([...affiliateIds].sort());
    expect(paid.filter(({ amount, status }) => Number(amount) !== 2_000 || status !== 'completed')).toEqual([]);
    const transfers = await cluster.sandbox.transfers();
    expect(transfers.filter(({ executedCount }) => executedCount !== 1)).toEqual([]);
    expect(transfers).toHaveLength(PAYEES);
    expect(await verifyLedger(operator(cluster.runtime))).toEqual([]);
    expect(await cluster.audit()).toMatchObject({ ok: true, findings: [] });
  },
  600_000 + 2 * WITHIN_MS,
);
