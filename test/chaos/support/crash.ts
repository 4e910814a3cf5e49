import type { AuditReport } from '../../../src/audit/index.ts';
import { unique } from '../../support/factories.ts';
import type { Program } from '../../support/processes.ts';
import { until } from '../../support/system.ts';
import { retry, send } from './client.ts';
import { audit, RECOVERY_MS, untilSettled } from './settled.ts';
import { openTestCluster, type TestCluster } from './test-cluster.ts';

export interface CrashReport {
  point: string;
  /** From the death to the moment when nothing was under way any more. */
  recoveryMs: number;
  /** How the caller's first try ended. */
  firstTry: string;
  status: string;
  audit: AuditReport;
}

export interface Processes {
  api: Program;
  worker: Program;
}

export const startProcesses = async (lane: TestCluster): Promise<Processes> => {
  const [api, worker] = await Promise.all([lane.startApi(), lane.startWorker()]);
  return { api, worker };
};

/** Ended by its fault point, and by nothing else. */
const untilDead = async (program: Program): Promise<number> => {
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, 45_000, 'late').unref());
  if ((await Promise.race([program.ended(), late])) === 'late')
    throw new Error(`${program.name} did not die:\n${await program.log()}`);
  return Date.now();
};

/**
 * Lets one process die at `point` while a payout is on its way, starts it again, and audits what came of it. The other
 * processes live on.
 */
export const crashAt = async (lane: TestCluster, crew: Processes, point: string): Promise<CrashReport> => {
  const body = await lane.payable();
  // What the setting-up asked for is done by living processes: only the payout meets the armed one.
  await untilSettled(lane.runtime);
  const role = point.startsWith('api:') ? 'api' : 'worker';
  await crew[role].kill();
  crew[role] = role === 'api' ? await lane.startApi({ faults: point }) : await lane.startWorker({ faults: point });
  const order = { key: lane.key, body, idempotencyKey: unique() };
  const first = await send(crew.api.url, { path: '/payouts', ...order });
  lane.memory.keep(order.idempotencyKey, first);
  const diedAt = await untilDead(crew[role]);
  crew[role] = role === 'api' ? await lane.startApi() : await lane.startWorker();
  const { outcome } = await retry(lane.memory, { urls: [crew.api.url], ...order });
  if (outcome.kind !== 'answer' || outcome.status !== 201) throw new Error(`no payout: ${JSON.stringify(outcome)}`);
  await untilSettled(lane.runtime, RECOVERY_MS + 30_000);
  const recoveryMs = Date.now() - diedAt;
  // The same question once more, long after.
  await retry(lane.memory, { urls: [crew.api.url], ...order });
  const read = () => lane.call('GET', `/payouts/${JSON.parse(outcome.body).data.id}`, { key: lane.key });
  const { data } = await until(read, (answer) => answer.status === 200);
  const witness = { receiver: lane.receiver, acknowledged: lane.memory.acknowledged(), repeats: lane.memory.repeats() };
  return {
    point,
    recoveryMs,
    firstTry: first.kind === 'answer' ? String(first.status) : first.kind,
    status: data.status,
    audit: await audit(lane, witness),
  };
};

/** Each point, on a few systems side by side: most of the time is waiting for leases and time-outs. */
export const crashEverywhere = async (
  points: readonly string[],
  width: number,
  tell: (report: CrashReport) => void = () => {},
): Promise<CrashReport[]> => {
  const queue = points.values();
  const reports: CrashReport[] = [];
  const work = async (): Promise<void> => {
    const lane = await openTestCluster();
    try {
      const crew = await startProcesses(lane);
      for (const point of queue) {
        const report = await crashAt(lane, crew, point);
        reports.push(report);
        tell(report);
      }
    } finally {
      await lane.close();
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(width, points.length) }, work));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  return reports;
};
