import { findFreePort } from '../../src/local-stack/index.ts';
import type { AppProcess } from '../support/processes.ts';
import { untilSettled } from './support/settled.ts';
import { useTestCluster } from './support/test-cluster.ts';
import { startTraffic } from './support/traffic.ts';

/** R7: a rolling restart of all processes under load. */
const ROUNDS = 3;
/** Polls of a worker, one per queue. A task that Temporal hands to a poll during shutdown runs after its timeout. */
const OPEN_POLLS = 2;
/** At this level the SDK logs the start and end of activities. */
const WORKER = { env: { LOG_LEVEL: 'debug' } };

const cluster = useTestCluster();
let apis: AppProcess[];
let workers: AppProcess[];
/** Including the processes of earlier rounds. */
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

/**
 * Activities that workers started, those of them that they did not finish, and those that needed a second attempt because the
 * first one was handed to a worker that was shutting down. According to their logs: a payout that ends before its step returns
 * has no such event in its history.
 */
const activities = async (): Promise<{ started: number; abandoned: string[]; repeated: string[] }> => {
  const open = new Set<string>();
  const repeated = new Set<string>();
  let startedCount = 0;
  for (const program of all) {
    for (const line of (await program.log()).split('\n').filter((text) => text.includes('"msg":"Activity '))) {
      const { msg, workflowId, activity, attempt } = JSON.parse(line);
      if (msg.startsWith('Activity not found')) continue;
      const step = `${program.name} ${workflowId} ${activity} ${attempt}`;
      if (msg !== 'Activity started') open.delete(step);
      else {
        open.add(step);
        startedCount++;
        if (attempt > 1) repeated.add(`${workflowId} ${activity}`);
      }
    }
  }
  return { started: startedCount, abandoned: [...open], repeated: [...repeated] };
};

it('no request fails and no activity is abandoned', async () => {
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
  expect(await cluster.audit()).toMatchObject({ ok: true, findings: [] });
  // The activities of webhook lanes run as long as their worker.
  await Promise.all(workers.map((worker) => worker.stop()));
  const { started: startedCount, abandoned, repeated } = await activities();
  expect(startedCount).toBeGreaterThanOrEqual(report.payouts);
  expect(abandoned).toEqual([]);
  expect(repeated.length).toBeLessThanOrEqual(stops * OPEN_POLLS);
}, 180_000);
