import { fileURLToPath } from 'node:url';
import { replayOpenHistories } from '../../src/worker/replay-open-histories.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();

const replayWith = (workflows: Parameters<typeof replayOpenHistories>[0]['workflows']) =>
  replayOpenHistories({
    clients: system.temporal.clients,
    queuePrefix: system.runtime.config.TEMPORAL_QUEUE_PREFIX,
    workflows,
  });

it('W16: open payouts are replayed by a new version before its workers start, and one that cannot go on is named', async () => {
  const { payoutId } = await makeManualPayout(system);
  const workflow = system.temporal.clients.finance.workflow.getHandle(`payout/${payoutId}`);
  await until(
    'the workflow answers queries',
    () => workflow.query('currentState').catch(() => null),
    (state) => state !== null,
  );
  const current = { workflowBundle: { codePath: process.env['TEST_WORKFLOW_BUNDLE'] ?? '' } };
  expect(
    await until(
      'the open workflows are listed and replayed',
      () => replayWith(current),
      ({ replayed }) => replayed['payoutLifecycle'] === 1 && replayed['webhookLane'] === system.runtime.config.WEBHOOK_LANES,
    ),
  ).toMatchObject({ ok: true, replayed: { payoutLifecycle: 1, webhookLane: system.runtime.config.WEBHOOK_LANES }, failed: [] });
  const changed = { workflowsPath: fileURLToPath(new URL('fixtures/changed-workflows.ts', import.meta.url)) };
  const { ok, failed } = await replayWith(changed);
  expect(ok).toBe(false);
  expect(failed.map(({ workflowId }) => workflowId)).toContain(`payout/${payoutId}`);
  await workflow.terminate('end of the test');
});

it('TE1: a change that an open payout cannot go on with is refused, however many newer ones are open', async () => {
  const { payoutId } = await makeManualPayout(system);
  const client = system.temporal.clients.finance;
  const workflow = client.workflow.getHandle(`payout/${payoutId}`);
  await until(
    'the workflow answers queries',
    () => workflow.query('currentState').catch(() => null),
    (state) => state !== null,
  );
  const taskQueue = `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}nobody`;
  const newer = Array.from({ length: 110 }, (_, serial) => `${taskQueue}/${serial}`);
  for (const workflowId of newer) await client.workflow.start('payoutLifecycle', { workflowId, taskQueue });
  const changed = { workflowsPath: fileURLToPath(new URL('fixtures/changed-workflows.ts', import.meta.url)) };
  const { ok, failed, replayed, notChecked } = await until(
    'all open payouts are listed',
    () => replayWith(changed),
    (report) => (report.replayed['payoutLifecycle'] ?? 0) + (report.notChecked['payoutLifecycle'] ?? 0) >= 111,
  );
  expect(ok).toBe(false);
  expect(failed.map(({ workflowId }) => workflowId)).toContain(`payout/${payoutId}`);
  expect([replayed['payoutLifecycle'], notChecked['payoutLifecycle']]).toEqual([100, 11]);
  await Promise.all([...newer, `payout/${payoutId}`].map((id) => client.workflow.getHandle(id).terminate('end of the test')));
});
