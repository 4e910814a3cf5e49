import { firstRow, sql } from '../../src/platform/database/sql.ts';
import type { AppProcess } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { operator, untilSettled } from './support/settled.ts';
import { useTestCluster } from './support/test-cluster.ts';
import { startTraffic } from './support/traffic.ts';

/** R3: the database terminates connections in use. */
const KILLS = 10;
const STATES = ['idle', 'idle in transaction', 'active'] as const;

const cluster = useTestCluster();
let programs: AppProcess[];
let url: string;
beforeAll(async () => {
  programs = await Promise.all([cluster.startApi(), cluster.startWorker()]);
  url = programs[0]?.url ?? '';
});

/** Terminates one connection of the processes under test in this state; false when there was none. */
const killOne = async (state: (typeof STATES)[number]): Promise<boolean> => {
  const killed = await firstRow(
    operator(cluster.runtime).em,
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name <> 'tributary-test' and state = ${state}
      and datname = current_database() order by random() limit 1`,
  );
  return killed !== null;
};

it('idle, in a transaction, active: no process exits and every acknowledged request is kept', async () => {
  const bodies = await cluster.payables(60);
  const traffic = startTraffic(cluster, { urls: [url], bodies, clients: 4, pauseMs: 50 });
  const killed = { idle: 0, 'idle in transaction': 0, active: 0 };
  const killSome = async () => {
    for (const state of STATES) if (killed[state] < KILLS && (await killOne(state))) killed[state]++;
    return killed;
  };
  await until(
    'enough connections of each kind are terminated',
    killSome,
    ({ idle, active, ...rest }) => idle === KILLS && active + rest['idle in transaction'] >= KILLS,
  );
  const report = await traffic.stop();
  await untilSettled(cluster.runtime);
  expect(programs.map((program) => program.isRunning())).toEqual([true, true]);
  // A caller may get a 500, but no other error: not even that of its own timeout.
  expect(report.failures.filter((failure) => !failure.startsWith('500 {"error":{"code":"INTERNAL'))).toEqual([]);
  expect(await cluster.audit()).toMatchObject({ ok: true, findings: [] });
});
