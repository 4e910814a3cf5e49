import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { listFailing } from '../../src/temporal/failing-workflows.ts';
import { readTemporalMetrics } from '../../src/worker/temporal-metrics.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await openTestSystem({ work: false, reconcile: { everyMs: 60_000, graceMs: 0, failingMs: 0 } });
});
afterAll(() => system.close());

const prefix = () => system.runtime.config.TEMPORAL_QUEUE_PREFIX;

/** Other workflows of the system fail too. */
const failingPayouts = async (forMs?: number) =>
  (await listFailing(system.temporal.clients, prefix(), forMs)).filter(({ workflowId }) => workflowId.startsWith('payout/'));

/** Tries the tasks of all workflows in vain until the action ends. */
const whileFailing = async <T>(action: () => Promise<T>): Promise<T> => {
  const connection = await NativeConnection.connect({ address: system.runtime.config.TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    connection,
    namespace: DEFAULT_NAMESPACES.finance,
    taskQueue: `${prefix()}workflows`,
    workflowsPath: fileURLToPath(new URL('../workflows/fixtures/failing-workflows.ts', import.meta.url)),
  });
  try {
    return await worker.runUntil(action);
  } finally {
    await connection.close();
  }
};

it('TE2: a payout whose workflow cannot go on is reported, and its workflow is replaced by one that begins with the database', async () => {
  const { payoutId, read } = await makeManualPayout(system);
  await system.relay.round();
  const id = `payout/${payoutId}`;
  const client = system.temporal.clients.finance;
  const describe = () => client.workflow.getHandle(id).describe();
  const { runId } = await describe();
  const metrics = await whileFailing(async () => {
    await until(
      'the failing payout is listed',
      () => failingPayouts(0),
      (failing) => failing.length === 1,
    );
    return readTemporalMetrics();
  });
  // What the alert counts.
  expect(metrics).toMatch(/^temporal_workflow_task_execution_failed_total\{.*workflow_type="payoutLifecycle"/m);
  expect(await failingPayouts()).toEqual([]);
  expect(await failingPayouts(0)).toEqual([
    { namespace: DEFAULT_NAMESPACES.finance, workflowId: id, runId, attempts: expect.any(Number) },
  ]);

  // The list of failing workflows is eventually consistent: a round may miss it, the next one does not.
  await until(
    'a round starts the workflow again',
    () => system.reconciler.round(),
    (restarted) => restarted === 1,
  );
  expect((await client.workflow.getHandle(id, runId).describe()).status.name).toBe('TERMINATED');
  await system.relay.round();
  const next = await describe();
  expect([next.status.name, next.runId === runId]).toEqual(['RUNNING', false]);
  expect((await read()).status).toBe('pending');
  expect(await system.reconciler.round()).toBe(0);
  await client.workflow.getHandle(id).terminate('end of the test');
});
