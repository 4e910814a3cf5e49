import type { AuditReport } from '../../../src/audit/index.ts';
import { pause } from '../../support/until.ts';
import type { SeededRandom } from './seeded-random.ts';
import { untilSettled } from './settled.ts';
import { openTestCluster } from './test-cluster.ts';
import { startTraffic } from './traffic.ts';

export interface KillReport {
  kills: number;
  payouts: number;
  requests: number;
  audit: AuditReport;
}

/** R2: kills random processes under load for `durationMs`, then waits until all work is done. */
export const killAtRandom = async (
  random: SeededRandom,
  durationMs: number,
  onKill: (kills: number) => void,
): Promise<KillReport> => {
  const cluster = await openTestCluster();
  try {
    const processes = [await cluster.startApi(), await cluster.startWorker(), await cluster.startWorker()];
    const restartProcess = [cluster.startApi, cluster.startWorker, cluster.startWorker];
    const bodies = await cluster.payables(Math.ceil(durationMs / 2_000));
    await untilSettled(cluster.runtime);
    const urls = [`http://127.0.0.1:${cluster.apiPort}`];
    const traffic = startTraffic(cluster, { urls, bodies, clients: 2, pauseMs: 2_000 });
    let kills = 0;
    for (const end = Date.now() + durationMs; Date.now() < end; ) {
      await pause(random.integer(2_000), 'kills come at random moments');
      const at = random.integer(processes.length);
      await processes[at]?.kill();
      const program = await restartProcess[at]?.();
      if (program) processes[at] = program;
      onKill(++kills);
    }
    const { payouts, requests } = await traffic.stop();
    await untilSettled(cluster.runtime);
    return { kills, payouts, requests, audit: await cluster.audit() };
  } finally {
    await cluster.close();
  }
};
