import { firstRow, sql } from '../../src/platform/database/sql.ts';
import type { Program } from '../support/processes.ts';
import { audit, operator, untilSettled } from './support/settled.ts';
import { openTestCluster, type TestCluster } from './support/test-cluster.ts';
import { startTraffic } from './support/traffic.ts';

/** R3: the database ends connections under our hands. */
const KILLS = 10;
const STATES = ['idle', 'idle in transaction', 'active'] as const;

let lane: TestCluster;
let programs: Program[];
let url: string;
beforeAll(async () => {
  lane = await openTestCluster();
  // By this name only the processes under test are hit, and not the test itself.
  const env = { PGAPPNAME: 'prey' };
  programs = await Promise.all([lane.startApi({ env }), lane.startWorker({ env })]);
  url = programs[0]?.url ?? '';
}, 120_000);
afterAll(() => lane?.close());

/** One connection that is in this state now; false when there was none. */
const killOne = async (state: (typeof STATES)[number]): Promise<boolean> => {
  const killed = await firstRow(
    operator(lane.runtime).em,
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'prey' and state = ${state}
      and datname = current_database() order by random() limit 1`,
  );
  return killed !== null;
};

it('idle, in a transaction, at work: no process ends, and what a caller was told holds', async () => {
  const bodies = await lane.payables(60);
  const traffic = startTraffic(lane, { urls: [url], bodies, clients: 4, pauseMs: 50 });
  const killed = { idle: 0, 'idle in transaction': 0, active: 0 };
  for (const end = Date.now() + 20_000; Date.now() < end && Math.min(...Object.values(killed)) < KILLS; ) {
    for (const state of STATES) if (killed[state] < KILLS && (await killOne(state))) killed[state]++;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const report = await traffic.stop();
  await untilSettled(lane.runtime);
  expect(killed.idle).toBe(KILLS);
  expect(killed['idle in transaction'] + killed.active).toBeGreaterThanOrEqual(KILLS);
  expect(programs.map((program) => program.isRunning())).toEqual([true, true]);
  // A caller may be told of a fault; it may not be told anything else, and not be kept waiting.
  expect(report.failures.filter((failure) => !failure.startsWith('500 {"error":{"code":"INTERNAL'))).toEqual([]);
  expect(report.slowestMs).toBeLessThan(5_000);
  const witness = { receiver: lane.receiver, acknowledged: lane.memory.acknowledged(), repeats: lane.memory.repeats() };
  expect(await audit(lane, witness)).toMatchObject({ ok: true, findings: [] });
}, 120_000);
