import { temporalAccess } from '../../src/config.ts';
import type { WorkflowDescriptor } from '../../src/contracts/workflows/descriptor.ts';
import { ALL_WORKFLOWS, WORKFLOWS } from '../../src/contracts/workflows/index.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { openTemporal } from '../../src/temporal/client.ts';
import { readVersions, setCurrentVersion } from '../../src/temporal/worker-versions.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { makeOpenWork, type OpenWork } from '../support/open-work.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { openProcessSystem } from '../support/processes.ts';
import { startReceiver } from '../support/receiver/receiver.ts';
import { runProgram } from '../support/run-program.ts';
import { startSmtpServer } from '../support/smtp/smtp-server.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

const ROLES = ['relay,payouts', 'reviews,webhooks'];

const system = useForFile(async () => {
  const [smtp, receiver] = await Promise.all([startSmtpServer(), startReceiver()]);
  const opened = await openProcessSystem({
    env: {
      TEMPORAL_VERSIONING: 'true',
      WEBHOOK_LANES: '1',
      RAIL_BANK_TRANSFER: 'manual',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Tributary <mail@example.com>',
    },
    sandbox: { settleMs: 15_000 },
  });
  const temporal = openTemporal(temporalAccess(opened.runtime.config));
  const close = async () => {
    await opened.close().finally(temporal.close);
    await Promise.all([smtp.stop(), receiver.stop()]);
  };
  return { ...opened, temporal, smtp, receiver, close };
});

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

const clientOf = (workflowId: string) => {
  const isFinance = /^(payout|payout-run|flag|application)\//.test(workflowId);
  return system.temporal.clients[isFinance ? 'finance' : 'background'];
};

const versionOf = async (workflowId: string): Promise<string> => {
  const described = await clientOf(workflowId)
    .workflow.getHandle(workflowId)
    .describe()
    .catch(() => null);
  const info = described?.raw.workflowExecutionInfo?.versioningInfo;
  return `${described?.status.name} ${info?.deploymentVersion?.buildId}`;
};

const becomes = (workflowId: string, expected: string) =>
  until(
    `${workflowId} is ${expected}`,
    () => versionOf(workflowId),
    (found) => found === expected,
  );

/** Longer than starting and moving two versions takes: what is to move must not end before. */
const RETRY_AFTER_MS = 150_000;

test('TE7: with two versions side by side, open payouts and decisions end on their own, everything else moves, nothing is done twice, and what is left moves when its workers are gone', async () => {
  await system.startApi();
  const first = await startVersion('v1');
  await setCurrent('v1');
  const { receiver, smtp } = system;
  const works = await makeOpenWork({ api: system, receiver, smtp, retryAfterMs: RETRY_AFTER_MS });
  const types = new Set<string>([...works.map(({ type }) => type), 'flagReview', 'webhookLane']);
  const scheduled = ALL_WORKFLOWS.filter(({ schedule }) => schedule).map(({ type }) => type);
  expect([...types, ...scheduled].sort()).toEqual(Object.keys(WORKFLOWS).sort());
  const { flagId, resolve } = await makeFlag(system);
  const flag = `flag/${flagId}`;
  const lane = `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}webhook-lane/0`;
  for (const id of [...works.map(({ workflowId }) => workflowId), flag, lane]) await becomes(id, 'RUNNING v1');

  const { key, affiliateId, programId } = await makePayable(system, { local: `ok+${unique()}` });
  const sent = (await system.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data.id;

  await startVersion('v2');
  await setCurrent('v2');
  const isPinned = ({ type }: OpenWork) => (WORKFLOWS[type] as WorkflowDescriptor).versioning === 'PINNED';
  await becomes(lane, 'RUNNING v2');
  for (const work of works.filter(isPinned)) expect(await versionOf(work.workflowId)).toBe('RUNNING v1');
  for (const work of works) await work.finish();
  for (const work of works) await becomes(work.workflowId, `COMPLETED ${isPinned(work) ? 'v1' : 'v2'}`);
  for (const work of works) await work.check();
  await becomes(`payout/${sent}`, 'COMPLETED v1');
  expect(await versionOf(flag)).toBe('RUNNING v1');
  for (const { executedCount } of await system.sandbox.transfers()) expect(executedCount).toBe(1);
  const later = await makeManualPayout(system);
  await becomes(`payout/${later.payoutId}`, 'RUNNING v2');

  await Promise.all(first.map((worker) => worker.stop()));
  const deploy = ['bin/admin.ts', 'temporal-version', 'set-current', '--build', 'v2', '--move-pinned'];
  expect(await runProgram(deploy, system.env)).toMatchObject({ code: 0, err: '' });
  expect(await resolve('dismissed')).toMatchObject({ status: 200 });
  await becomes(flag, 'COMPLETED v2');
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

test('TE7: without a current version, workers without one get new work', async () => {
  await startVersion('v3');
  await setCurrent('v3');
  await Promise.all(ROLES.map((roles) => system.startWorker({ env: { TEMPORAL_VERSIONING: 'false', WORKER_ROLES: roles } })));
  for (const _time of ['once', 'again']) {
    const { code, err, out } = await runProgram(['bin/admin.ts', 'temporal-version', 'unset-current'], system.env, {
      timeoutMs: 240_000,
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
});
