import type { AuditReport } from '../../../src/audit/index.ts';
import { unique } from '../../support/factories.ts';
import type { AppProcess } from '../../support/processes.ts';
import { until } from '../../support/system.ts';
import { retry, send } from './client.ts';
import { RECOVERY_MS, untilSettled } from './settled.ts';
import { openTestCluster, type TestCluster } from './test-cluster.ts';

export interface CrashReport {
  point: string;
  /** From the crash until no work was left. */
  recoveryMs: number;
  /** Result of the caller's first request: a status, or how the connection failed. */
  firstTry: string;
  status: string;
  audit: AuditReport;
}

export interface Processes {
  api: AppProcess;
  worker: AppProcess;
}

export const startProcesses = async (cluster: TestCluster): Promise<Processes> => {
  const [api, worker] = await Promise.all([cluster.startApi(), cluster.startWorker()]);
  return { api, worker };
};

/** Waits until the fault point has ended the process; returns that time in epoch milliseconds. */
const untilCrashed = async (program: AppProcess): Promise<number> => {
  const timeout = new Promise<'running'>((resolve) => setTimeout(resolve, 45_000, 'running').unref());
  if ((await Promise.race([program.ended(), timeout])) === 'running')
    throw new Error(`${program.name} did not crash:\n${await program.log()}`);
  return Date.now();
};

/** Crashes one process at `point` while a payout is in progress, restarts it, and audits the result. */
export const crashAt = async (cluster: TestCluster, processes: Processes, point: string): Promise<CrashReport> => {
  const body = await cluster.payable();
  // Work enqueued by the setup finishes first: only the payout may reach the fault point.
  await untilSettled(cluster.runtime);
  const role = point.startsWith('api:') ? 'api' : 'worker';
  await processes[role].kill();
  processes[role] = role === 'api' ? await cluster.startApi({ faults: point }) : await cluster.startWorker({ faults: point });
  const order = { key: cluster.key, body, idempotencyKey: unique() };
  const first = await send(processes.api.url, { path: '/payouts', ...order });
  cluster.responses.add(order.idempotencyKey, first);
  if (point.startsWith('screening:')) await cluster.sellUnscreened();
  const crashedAt = await untilCrashed(processes[role]);
  processes[role] = role === 'api' ? await cluster.startApi() : await cluster.startWorker();
  const { outcome } = await retry(cluster.responses, { urls: [processes.api.url], ...order });
  if (outcome.kind !== 'response' || outcome.status !== 201) throw new Error(`no payout: ${JSON.stringify(outcome)}`);
  await untilSettled(cluster.runtime, RECOVERY_MS + 30_000);
  const recoveryMs = Date.now() - crashedAt;
  // Repeats the request long after: the response must be the same.
  await retry(cluster.responses, { urls: [processes.api.url], ...order });
  const read = () => cluster.call('GET', `/payouts/${JSON.parse(outcome.body).data.id}`, { key: cluster.key });
  const { data } = await until(read, (response) => response.status === 200);
  return {
    point,
    recoveryMs,
    firstTry: first.kind === 'response' ? String(first.status) : first.kind,
    status: data.status,
    audit: await cluster.audit(),
  };
};

/** Crashes at each point. Several clusters share the list, because most of the time is spent waiting for timeouts. */
export const crashEverywhere = async (
  points: readonly string[],
  clusters: number,
  onReport: (report: CrashReport) => void = () => {},
): Promise<CrashReport[]> => {
  const queue = points.values();
  const reports: CrashReport[] = [];
  const work = async (): Promise<void> => {
    const cluster = await openTestCluster();
    try {
      const processes = await startProcesses(cluster);
      for (const point of queue) {
        const report = await crashAt(cluster, processes, point);
        reports.push(report);
        onReport(report);
      }
    } finally {
      await cluster.close();
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: Math.min(clusters, points.length) }, work));
  for (const cluster of runs) if (cluster.status === 'rejected') throw cluster.reason;
  return reports;
};
