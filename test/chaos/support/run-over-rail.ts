import { rowsOf } from '../../support/rail-payouts.ts';
import { pause, until } from '../../support/until.ts';
import type { seededRandom } from './seeded-random.ts';
import type { TestCluster } from './test-cluster.ts';

export const killAtRandom = async (
  cluster: TestCluster,
  random: ReturnType<typeof seededRandom>,
  kills: number,
): Promise<void> => {
  for (let kill = 0; kill < kills; kill += 1) {
    const worker = await cluster.startWorker();
    await pause(1_500 + random.integer(2_500), 'kills come at random moments');
    await worker.kill();
  }
};

/** Waits as long as payouts of the run still end. */
export const whileMoving = async (cluster: TestCluster, runId: string, isDone: () => Promise<boolean>): Promise<void> => {
  const read = async () => {
    const [row] = await rowsOf(
      cluster,
      `select count(*)::int as ended from payout where payout_run_id = ? and status in ('completed', 'failed')`,
      [runId],
    );
    return { isDone: await isDone(), ended: row.ended as number };
  };
  for (let seen = await read(); !seen.isDone; )
    seen = await until('the next payout ends', read, (now) => now.isDone || now.ended !== seen.ended);
};
