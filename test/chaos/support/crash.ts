import type { AuditReport } from '../../../src/audit/index.ts';
import { unique } from '../../support/factories.ts';
import type { AppProcess } from '../../support/processes.ts';
import { until } from '../../support/until.ts';
import { beginWork, type Finish } from './begin-work.ts';
import { type Outcome, retry, send } from './client.ts';
import { untilSettled } from './settled.ts';
import { openTestCluster, type TestCluster } from './test-cluster.ts';

export interface CrashReport {
  /** As they were given. */
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
  await until(`${program.name} has crashed`, () => !program.isRunning()).catch(async ({ message }: Error) => {
    throw new Error(`${message}\n${await program.log()}`);
  });
  return Date.now();
};

const restart = async (cluster: TestCluster, processes: Processes, role: keyof Processes, faults = ''): Promise<void> => {
  await processes[role].kill();
  processes[role] = role === 'api' ? await cluster.startApi({ faults }) : await cluster.startWorker({ faults });
};

/** Null: a command of the operator, which the work runs. */
const roleOf = (point: string): keyof Processes | null => {
  if (point.startsWith('erasure:')) return null;
  return point.startsWith('api:') ? 'api' : 'worker';
};

/**
 * Crashes one process at a fault point while a payout is in progress, restarts it, and audits the result. Several points,
 * separated by commas, follow each other; what the crashes interrupted is finished after the last one.
 */
export const crashAt = async (cluster: TestCluster, processes: Processes, points: string): Promise<CrashReport> => {
  const body = await cluster.payable();
  // Work enqueued by the setup finishes first: only what follows may reach a fault point.
  await untilSettled(cluster.runtime);
  const order = { key: cluster.key, body, idempotencyKey: unique() };
  const interrupted: Finish[] = [];
  let first: Outcome | null = null;
  let crashedAt = 0;
  for (const point of points.split(',')) {
    const role = roleOf(point);
    if (role) await restart(cluster, processes, role, point);
    first ??= await send(processes.api.url, { path: '/payouts', ...order });
    interrupted.push(await beginWork(cluster, point));
    crashedAt = role ? await untilCrashed(processes[role]) : Date.now();
  }
  for (const role of new Set(points.split(',').map(roleOf))) if (role) await restart(cluster, processes, role);
  if (first) cluster.responses.add(order.idempotencyKey, first);
  const { outcome } = await retry(cluster.responses, { urls: [processes.api.url], ...order });
  if (outcome.kind !== 'response' || outcome.status !== 201) throw new Error(`no payout: ${JSON.stringify(outcome)}`);
  for (const finish of interrupted) await finish();
  await untilSettled(cluster.runtime);
  const recoveryMs = Date.now() - crashedAt;
  // Repeats the request long after: the response must be the same.
  await retry(cluster.responses, { urls: [processes.api.url], ...order });
  const read = () => cluster.call('GET', `/payouts/${JSON.parse(outcome.body).data.id}`, { key: cluster.key });
  const { data } = await until('the payout can be read', read, (response) => response.status === 200);
  return {
    point: points,
    recoveryMs,
    firstTry: first?.kind === 'response' ? String(first.status) : (first?.kind ?? 'none'),
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
