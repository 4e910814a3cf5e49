import { temporalAccess } from '../../src/config.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { openTemporal } from '../../src/relay/temporal-client.ts';
import { readVersions, setCurrentVersion } from '../../src/relay/worker-versions.ts';
import { apply, makePerson } from '../support/applications.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { openProcessSystem } from '../support/processes.ts';
import { runProgram } from '../support/run-program.ts';
import { until } from '../support/system.ts';
import { useForFile } from '../support/use-for-file.ts';

const ROLES = ['relay,payouts', 'reviews,webhooks'];

const system = useForFile(async () => {
  const opened = await openProcessSystem({
    env: { TEMPORAL_VERSIONING: 'true', WEBHOOK_LANES: '1', RAIL_BANK_TRANSFER: 'manual' },
    sandbox: { settleMs: 15_000 },
  });
  const temporal = openTemporal(temporalAccess(opened.runtime.config));
  return { ...opened, temporal, close: () => opened.close().finally(temporal.close) };
}, 60_000);

/** Workers of a version, each role in a process of its own. */
const startVersion = (buildId: string) =>
  Promise.all(ROLES.map((roles) => system.startWorker({ env: { TEMPORAL_BUILD_ID: buildId, WORKER_ROLES: roles } })));

const setCurrent = async (buildId: string) => {
  const { TEMPORAL_QUEUE_PREFIX: queuePrefix } = system.runtime.config;
  for (const client of Object.values(system.temporal.clients)) {
    await setCurrentVersion(client, { buildId, queuePrefix, waitMs: 60_000 });
    expect((await readVersions(client, queuePrefix)).current).toBe(buildId);
  }
};

const versionOf = async (workflowId: string): Promise<string> => {
  const { finance, background } = system.temporal.clients;
  const client = workflowId.includes('webhook-lane') ? background : finance;
  const described = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => null);
  const info = described?.raw.workflowExecutionInfo?.versioningInfo;
  return `${described?.status.name} ${info?.deploymentVersion?.buildId}`;
};

const becomes = (workflowId: string, expected: string) =>
  until(
    () => versionOf(workflowId),
    (found) => found === expected,
    90_000,
  );

test('TE7: with two versions side by side, open payouts and decisions end on their own, others move, nothing is paid twice, and what is left moves when its workers are gone', async () => {
  await system.startApi();
  const first = await startVersion('v1');
  await setCurrent('v1');
  const manual = await makeManualPayout(system);
  const { key, affiliateId, programId } = await makePayable(system, { local: `ok+${unique()}` });
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const { flagId, resolve } = await makeFlag(system);
  const context = system.runtime.context({ kind: 'system', name: 'test' });
  const { applicationId } = await apply(context, programId, await makePerson(system.runtime));
  const pinned = [`payout/${manual.payoutId}`, `payout/${data.id}`, `flag/${flagId}`, `application/${applicationId}`];
  const lane = `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}webhook-lane/0`;
  for (const id of [...pinned, lane]) await becomes(id, 'RUNNING v1');

  await startVersion('v2');
  await setCurrent('v2');
  const later = await makeManualPayout(system);
  await becomes(`payout/${later.payoutId}`, 'RUNNING v2');
  expect(await manual.act('process')).toMatchObject({ status: 200 });
  expect(await manual.act('complete', {})).toMatchObject({ status: 200 });
  await becomes(`payout/${manual.payoutId}`, 'COMPLETED v1');
  await becomes(`payout/${data.id}`, 'COMPLETED v1');
  for (const id of pinned.slice(2)) expect(await versionOf(id)).toBe('RUNNING v1');
  await becomes(lane, 'RUNNING v2');
  expect((await system.sandbox.transfers()).map(({ executedCount }) => executedCount)).toEqual([1]);

  await Promise.all(first.map((worker) => worker.stop()));
  const deploy = ['bin/admin.ts', 'temporal-version', 'set-current', '--build', 'v2', '--move-pinned'];
  expect(await runProgram(deploy, system.env, { timeoutMs: 60_000 })).toMatchObject({ code: 0, err: '' });
  expect(await resolve('dismissed')).toMatchObject({ status: 200 });
  await becomes(`flag/${flagId}`, 'COMPLETED v2');
  expect(await verifyLedger(context)).toEqual([]);
}, 240_000);

test('TE7: without a current version, workers without one get new work', async () => {
  await startVersion('v3');
  await setCurrent('v3');
  await Promise.all(ROLES.map((roles) => system.startWorker({ env: { TEMPORAL_VERSIONING: 'false', WORKER_ROLES: roles } })));
  for (const _time of ['once', 'again']) {
    const { code, err, out } = await runProgram(['bin/admin.ts', 'temporal-version', 'unset-current'], system.env, {
      timeoutMs: 90_000,
    });
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out).namespaces).toMatchObject([{ current: null }, { current: null }]);
  }
  const { act, payoutId } = await makeManualPayout(system);
  await becomes(`payout/${payoutId}`, 'RUNNING undefined');
  expect(await act('process')).toMatchObject({ status: 200 });
  expect(await act('complete', {})).toMatchObject({ status: 200 });
  await becomes(`payout/${payoutId}`, 'COMPLETED undefined');
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
}, 240_000);
