import { findFreePort } from '../../src/local-stack/index.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import type { AppProcess } from '../support/processes.ts';
import { operator, untilSettled } from './support/settled.ts';
import { useTestCluster } from './support/test-cluster.ts';
import { startTraffic } from './support/traffic.ts';

/** R7: every process is replaced while it works, one after the other. */
const ROUNDS = 3;
/** Of a worker: one for each queue. What Temporal hands over on one while the worker hangs up is done when its time is up. */
const OPEN_POLLS = 2;
/** The SDK tells at this level which steps begin and end. */
const WORKER = { env: { LOG_LEVEL: 'debug' } };

const cluster = useTestCluster();
let apis: AppProcess[];
let workers: AppProcess[];
/** Those of earlier rounds too. */
const all: AppProcess[] = [];
beforeAll(async () => {
  const ports = [cluster.apiPort, await findFreePort(0)];
  [apis, workers] = await Promise.all([
    Promise.all(ports.map((port) => cluster.startApi({ port }))),
    Promise.all([cluster.startWorker(WORKER), cluster.startWorker(WORKER)]),
  ]);
  [...apis, ...workers].forEach(started);
});

const started = (program: AppProcess): AppProcess => {
  all.push(program);
  return program;
};

const errorLines = async (): Promise<string[]> => {
  const logs = await Promise.all(all.map((program) => program.log()));
  return logs.flatMap((log) => log.split('\n').filter((line) => /^{"level":[56]0/.test(line)));
};

const portOf = (program: AppProcess): number => Number(new URL(program.url).port);

/** Steps that a worker began, and those of them that it did not end, by its own log. */
const steps = async (): Promise<{ begun: number; abandoned: string[] }> => {
  const open = new Set<string>();
  let begun = 0;
  for (const program of all) {
    for (const line of (await program.log()).split('\n').filter((text) => text.includes('"msg":"Activity '))) {
      const { msg, workflowId, activity, attempt } = JSON.parse(line);
      const step = `${program.name} ${workflowId} ${activity} ${attempt}`;
      if (msg !== 'Activity started') open.delete(step);
      else {
        open.add(step);
        begun++;
      }
    }
  }
  return { begun, abandoned: [...open] };
};

/** Tries after the first: what was handed to a worker in its last moment, and reached nobody. */
const handedToNobody = async (): Promise<string[]> => {
  const workflows = await rows(
    operator(cluster.runtime).em,
    sql<{ id: string }>`select 'payout/' || id as id from payout union all select 'webhook/' || id from webhook_delivery`,
  );
  const found: string[] = [];
  for (const { id } of workflows) {
    const { events } = await cluster.temporal.client.workflow.getHandle(id).fetchHistory();
    const attempts = (events ?? []).map((event) => event.activityTaskStartedEventAttributes?.attempt ?? 1);
    if (attempts.some((attempt) => attempt > 1)) found.push(id);
  }
  return found;
};

it('no request fails and no step is abandoned', async () => {
  const bodies = await cluster.payables(80);
  let stops = 0;
  const traffic = startTraffic(cluster, { urls: apis.map((api) => api.url), bodies, clients: 4, pauseMs: 1_000 });
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of [0, 1]) {
      const [api, worker] = [apis[at], workers[at]];
      if (!api || !worker) throw new Error('two of each');
      const restart = async (): Promise<void> => {
        await api.stop();
        apis[at] = started(await cluster.startApi({ port: portOf(api) }));
      };
      const replace = async (): Promise<void> => {
        await worker.stop();
        stops++;
        workers[at] = started(await cluster.startWorker(WORKER));
      };
      await Promise.all([restart(), replace()]);
    }
  }
  const report = await traffic.stop();
  await untilSettled(cluster.runtime);
  expect(report).toMatchObject({ failures: [] });
  expect(await errorLines()).toEqual([]);
  expect(report.payouts).toBeGreaterThan(40);
  const { begun, abandoned } = await steps();
  expect(begun).toBeGreaterThan(3 * report.payouts);
  expect(abandoned).toEqual([]);
  expect((await handedToNobody()).length).toBeLessThanOrEqual(stops * OPEN_POLLS);
  expect(await cluster.audit()).toMatchObject({ ok: true, findings: [] });
}, 180_000);
