import { findFreePort } from '../../src/local-stack/index.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import type { Program } from '../support/processes.ts';
import { type Lane, openLane } from './support/lane.ts';
import { audit, operator, untilSettled } from './support/settled.ts';
import { startTraffic } from './support/traffic.ts';

/** R7: every process is replaced while it works, one after the other. */
const ROUNDS = 3;

let lane: Lane;
let apis: Program[];
let workers: Program[];
/** Those of earlier rounds too. */
const all: Program[] = [];
beforeAll(async () => {
  lane = await openLane();
  const ports = [lane.apiPort, await findFreePort(0)];
  [apis, workers] = await Promise.all([
    Promise.all(ports.map((port) => lane.startApi({ port }))),
    Promise.all([lane.startWorker(), lane.startWorker()]),
  ]);
  [...apis, ...workers].forEach(started);
}, 120_000);
afterAll(() => lane?.close());

const started = (program: Program): Program => {
  all.push(program);
  return program;
};

const errorLines = async (): Promise<string[]> => {
  const logs = await Promise.all(all.map((program) => program.log()));
  return logs.flatMap((log) => log.split('\n').filter((line) => /^{"level":[56]0/.test(line)));
};

const portOf = (program: Program): number => Number(new URL(program.url).port);

/** Time-outs of a step, and tries after the first: what a step leaves behind that was not allowed to end. */
const abandoned = async (): Promise<string[]> => {
  const stories = await rows(
    operator(lane.runtime).em,
    sql<{ id: string }>`select 'payout/' || id as id from payout union all select 'webhook/' || id from webhook_delivery`,
  );
  const found: string[] = [];
  for (const { id } of stories) {
    const { events } = await lane.temporal.client.workflow.getHandle(id).fetchHistory();
    for (const event of events ?? []) {
      const { attempt, lastFailure } = event.activityTaskStartedEventAttributes ?? {};
      if (event.activityTaskTimedOutEventAttributes) found.push(`${id}: timed out`);
      if ((attempt ?? 1) > 1)
        found.push(`${id}: tried again after ${lastFailure?.message} ${lastFailure?.applicationFailureInfo?.type}`);
    }
  }
  return found;
};

it('no request fails and no step is abandoned', async () => {
  const bodies = await lane.payables(80);
  const traffic = startTraffic(lane, { urls: apis.map((api) => api.url), bodies, clients: 4, pauseMs: 1_000 });
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of [0, 1]) {
      const [api, worker] = [apis[at], workers[at]];
      if (!api || !worker) throw new Error('two of each');
      const restart = async (): Promise<void> => {
        await api.stop();
        apis[at] = started(await lane.startApi({ port: portOf(api) }));
      };
      const replace = async (): Promise<void> => {
        await worker.stop();
        workers[at] = started(await lane.startWorker());
      };
      await Promise.all([restart(), replace()]);
    }
  }
  const report = await traffic.stop();
  await untilSettled(lane.runtime);
  expect(report).toMatchObject({ failures: [] });
  expect(await errorLines()).toEqual([]);
  expect(report.payouts).toBeGreaterThan(40);
  expect(await abandoned()).toEqual([]);
  const witness = { receiver: lane.receiver, acknowledged: lane.memory.acknowledged(), repeats: lane.memory.repeats() };
  expect(await audit(lane, witness)).toMatchObject({ ok: true, findings: [] });
}, 180_000);
