import type { AuditReport } from '../../../src/audit/index.ts';
import type { SeededRandom } from './seeded-random.ts';
import { audit, RECOVERY_MS, untilSettled } from './settled.ts';
import { openTestCluster } from './test-cluster.ts';
import { startTraffic } from './traffic.ts';

export interface KillReport {
  kills: number;
  payouts: number;
  requests: number;
  recoveryMs: number;
  audit: AuditReport;
}

/** R2: kill -9 of whoever the dice name, under load, for so long; then everything must come to its end. */
export const killAtRandom = async (
  dice: SeededRandom,
  durationMs: number,
  tell: (kills: number) => void,
): Promise<KillReport> => {
  const lane = await openTestCluster();
  try {
    const crew = [await lane.startApi(), await lane.startWorker(), await lane.startWorker()];
    const restartProcess = [lane.startApi, lane.startWorker, lane.startWorker];
    const bodies = await lane.payables(Math.ceil(durationMs / 2_000));
    await untilSettled(lane.runtime, 3 * RECOVERY_MS);
    const urls = [`http://127.0.0.1:${lane.apiPort}`];
    const traffic = startTraffic(lane, { urls, bodies, clients: 2, pauseMs: 2_000 });
    let kills = 0;
    for (const end = Date.now() + durationMs; Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, dice.roll(2_000)));
      const at = dice.roll(crew.length);
      await crew[at]?.kill();
      const program = await restartProcess[at]?.();
      if (program) crew[at] = program;
      tell(++kills);
    }
    const { payouts, requests } = await traffic.stop();
    const recoveryMs = await untilSettled(lane.runtime, 3 * RECOVERY_MS);
    const witness = { receiver: lane.receiver, acknowledged: lane.memory.acknowledged(), repeats: lane.memory.repeats() };
    return { kills, payouts, requests, recoveryMs, audit: await audit(lane, witness) };
  } finally {
    await lane.close();
  }
};
