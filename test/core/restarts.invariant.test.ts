import { findFreePort } from '../../src/local/stack/index.ts';
import { openProxy } from '../chaos/support/proxy.ts';
import { untilSettled } from '../chaos/support/settled.ts';
import { openTestCluster } from '../chaos/support/test-cluster.ts';
import { startTraffic } from '../chaos/support/traffic.ts';
import type { AppProcess } from '../support/processes.ts';
import { useForFile } from '../support/use-for-file.ts';

/** R7: a rolling restart of all processes under load. */
const ROUNDS = 3;
/**
 * Polls for activities of a worker: five for each of the four queues in use here (sandbox rail, mail, reviews, webhook lanes). A task that
 * Temporal hands to a poll during shutdown is lost until its timeout.
 */
const OPEN_POLLS = 4 * 5;
/** From workers to Temporal, and back: for measurements. */
const DELAY_MS = Number(process.env['TEST_TEMPORAL_DELAY_MS'] ?? 0);
/** At this level the SDK logs the start and end of activities. */
const WORKER = { env: { LOG_LEVEL: 'debug' } };

const cluster = useForFile(async () => {
  if (DELAY_MS === 0) return openTestCluster();
  const proxy = await openProxy(process.env['TEST_TEMPORAL_ADDRESS'] ?? '');
  proxy.delay(DELAY_MS);
  const opened = await openTestCluster({ env: { TEMPORAL_ADDRESS: proxy.address } });
  return { ...opened, close: () => opened.close().finally(proxy.close) };
});
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
  [...apis, ...workers].forEach(launched);
});

const launched = (program: AppProcess): AppProcess => {
  all.push(program);
  return program;
};

const errorLines = async (): Promise<string[]> => {
  const logs = await Promise.all(all.map((program) => program.log()));
  return logs.flatMap((log) => log.split('\n').filter((line) => /^{"level":[56]0/.test(line)));
};

const portOf = (program: AppProcess): number => Number(new URL(program.url).port);

/**
 * According to the logs of the workers, because a payout that ends before its step returns has no such event in its history:
 * the attempts that were started, those of them that were not finished, and those that are missing before a later attempt
 * because they were handed to a worker that was shutting down.
 */
const activities = async (): Promise<{ started: number; abandoned: string[]; lost: string[] }> => {
  const open = new Set<string>();
  const starts = new Map<string, number>();
  let started = 0;
  for (const program of all) {
    for (const line of (await program.log()).split('\n').filter((text) => text.includes('"msg":"Activity '))) {
      const { msg, workflowId, activity, attempt } = JSON.parse(line);
      if (msg.startsWith('Activity not found')) continue;
      const step = `${program.name} ${workflowId} ${activity} ${attempt}`;
      if (msg !== 'Activity started') open.delete(step);
      else {
        open.add(step);
        started++;
        const key = `${workflowId} ${activity} ${attempt}`;
        starts.set(key, (starts.get(key) ?? 0) + 1);
      }
    }
  }
  return { started, abandoned: [...open], lost: lostOf(starts) };
};

/** An activity that a workflow runs several times has several first attempts. */
const lostOf = (starts: ReadonlyMap<string, number>): string[] =>
  [...starts].flatMap(([key, count]) => {
    const [workflowId, activity, attempt] = key.split(' ');
    const earlier = starts.get(`${workflowId} ${activity} ${Number(attempt) - 1}`) ?? 0;
    return Number(attempt) > 1 && earlier < count ? [key] : [];
  });

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
        apis[at] = launched(await cluster.startApi({ port: portOf(api) }));
      };
      const replace = async (): Promise<void> => {
        await worker.stop();
        stops++;
        workers[at] = launched(await cluster.startWorker(WORKER));
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
  const { started, abandoned, lost } = await activities();
  const measured = { roundTripMs: 2 * DELAY_MS, stops, payouts: report.payouts, started };
  process.stdout.write(`${JSON.stringify({ ...measured, abandoned: abandoned.length, repeated: lost.length })}\n`);
  expect(started).toBeGreaterThanOrEqual(report.payouts);
  expect(abandoned).toEqual([]);
  if (lost.length > stops * OPEN_POLLS) expect(lost).toEqual([]);
});
