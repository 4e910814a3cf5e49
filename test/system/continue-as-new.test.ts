import { isDeepStrictEqual } from 'node:util';
import { isGrpcServiceError, ServiceError, type WorkflowHandle } from '@temporalio/client';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { makeMerchant, makePayable, makeProgram, unique } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { startReceiver } from '../support/receiver/receiver.ts';
import { openTestSystem } from '../support/system.ts';
import { startTemporalServer } from '../support/temporal-server.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

/** Temporal asks for a new run after these instead of thousands. More than a payout has that waits after its last reminder. */
const FEW_EVENTS = 34;

const system = useForFile(async () => {
  const server = await startTemporalServer({ 'limit.historyCount.suggestContinueAsNew': FEW_EVENTS });
  const opened = await openTestSystem({
    env: { TEMPORAL_ADDRESS: server.address, WEBHOOK_LANES: '1' },
    sandbox: { settleMs: 10_000 },
    reconcile: { everyMs: 500, graceMs: 500 },
  });
  return { ...opened, close: () => opened.close().finally(server.close) };
});

const clientOf = (workflowId: string) => system.temporal.clients[/^payout(-run)?\//.test(workflowId) ? 'finance' : 'background'];

/** The runs of a workflow, oldest first. */
const runsOf = async (workflowId: string) => {
  const runs: { runId: string; status: string }[] = [];
  for await (const { runId, status } of clientOf(workflowId).workflow.list({ query: `WorkflowId = "${workflowId}"` }))
    runs.unshift({ runId, status: status.name });
  return runs;
};

/** What the runs of a payout add to the sum of paid money. */
const countedBy = async (workflowId: string) => {
  const client = clientOf(workflowId);
  const runs = (await runsOf(workflowId)).map(({ runId }) => client.workflow.getHandle(workflowId, runId).describe());
  return (await Promise.all(runs)).flatMap(({ searchAttributes }): unknown[] => [...(searchAttributes['PaidAmount'] ?? [])]);
};

/** While a run ends that signals came for, Temporal rejects further ones: for longer than the client retries on a busy machine. */
const signalUnlessClosing = (handle: WorkflowHandle, name: string) =>
  handle.signal(name).catch((error: unknown) => {
    const cause = error instanceof ServiceError ? error.cause : error;
    if (!isGrpcServiceError(cause) || !/workflow is closing/.test(cause.details)) throw error;
  });

const recordFirst = async (workflowId: string, type: string) => {
  const [first] = await runsOf(workflowId);
  await recordHistory(clientOf(workflowId).workflow.getHandle(workflowId, first?.runId), type, 'continued-as-new');
};

test('TE7: a payout that continues in a new run again and again is sent once and counted once', async () => {
  const { key, affiliateId, programId } = await makePayable(system, { local: `ok+${unique()}` });
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const workflowId = `payout/${data.id}`;
  const runs = await until(
    'the last run is completed',
    () => runsOf(workflowId),
    (found) => found.at(-1)?.status === 'COMPLETED',
  );
  expect(runs.length).toBeGreaterThan(1);
  expect(runs.slice(0, -1).map(({ status }) => status)).toEqual(runs.slice(1).map(() => 'CONTINUED_AS_NEW'));
  const read = (await system.call('GET', `/payouts/${data.id}`, { key })).data;
  expect(read).toMatchObject({ status: 'completed', amount: 2000 });
  const transfers = (await system.sandbox.transfers()).filter(({ reference }) => reference === data.id);
  expect(transfers).toMatchObject([{ executedCount: 1 }]);
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
  expect(await countedBy(workflowId)).toEqual([20]);
  await recordFirst(workflowId, 'payoutLifecycle');
});

test('TE7: a payout that a person pays keeps its reminders and its decision across runs', async () => {
  const { payoutId, act, read, key } = await makeManualPayout(system);
  const workflowId = `payout/${payoutId}`;
  const becomes = (...statuses: string[]) =>
    until(
      `the runs are ${statuses.join(', ')}`,
      async () => (await runsOf(workflowId)).map(({ status }) => status),
      (found) => isDeepStrictEqual(found, statuses),
    );
  await until('the payout needs attention', read, ({ needsAttention }) => needsAttention);
  expect(await act('process')).toMatchObject({ status: 200 });
  await becomes('CONTINUED_AS_NEW', 'RUNNING');
  expect(await act('complete', {})).toMatchObject({ status: 200 });
  await becomes('CONTINUED_AS_NEW', 'COMPLETED');
  expect(await read()).toMatchObject({ status: 'completed' });
  expect(await countedBy(workflowId)).toEqual([20]);
  const timeline = (await system.call('GET', `/payouts/${payoutId}/timeline`, { key })).data as { type: string }[];
  expect(timeline.filter(({ type }) => type === 'reminder_sent')).toHaveLength(1);
});

test('TE7: a payout run that continues in a new run again and again pays each affiliate once', async () => {
  const own = await makePayees(
    system,
    Array.from({ length: 3 }, () => ({ amount: 10_000 })),
  );
  const run = await draftRun(system, own);
  expect((await run.confirm()).status).toBe(200);
  const workflowId = `payout-run/${run.runId}`;
  const runs = await until(
    'the last run is completed',
    () => runsOf(workflowId),
    (found) => found.at(-1)?.status === 'COMPLETED',
  );
  expect(runs.length).toBeGreaterThan(1);
  expect(await run.read()).toMatchObject({ status: 'completed', progress: { final: 3 } });
  const references = new Set((await run.itemsOf()).map(({ payoutId }: { payoutId: string }) => payoutId));
  const transfers = (await system.sandbox.transfers()).filter(({ reference }) => references.has(reference));
  expect(transfers.map(({ executedCount }) => executedCount)).toEqual([1, 1, 1]);
  expect(await countedBy(workflowId)).toEqual([]);
  await recordFirst(workflowId, 'payoutRun');
});

test('TE7: a webhook lane that continues in a new run sends what comes before and after', async () => {
  const receiver = await startReceiver();
  try {
    const { key } = await makeMerchant(system.runtime);
    const path = `/status/200/${unique()}`;
    const body = { name: 'test', url: receiver.url(path), subscribedEvents: ['program.created'] };
    await system.call('POST', '/webhooks', { key, body });
    await makeProgram(system, key);
    await receiver.waitFor(path, 1);
    const workflowId = `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}webhook-lane/0`;
    const [run] = await runsOf(workflowId);
    const { workflow } = clientOf(workflowId);
    const lane = workflow.getHandle(workflowId);
    // Signals of no meaning fill the history as weeks would, several to a task or one.
    await until(
      `the history has ${FEW_EVENTS} events`,
      () => signalUnlessClosing(lane, 'nothing').then(() => workflow.getHandle(workflowId, run?.runId).describe()),
      ({ historyLength }) => historyLength >= FEW_EVENTS,
    );
    await until(
      'the lane goes on in a second run',
      () => runsOf(workflowId),
      ([first, second]) => first?.status === 'CONTINUED_AS_NEW' && second !== undefined,
    );
    await recordFirst(workflowId, 'webhookLane');
    await makeProgram(system, key);
    expect(await receiver.waitFor(path, 2)).toHaveLength(2);
  } finally {
    await receiver.stop();
  }
});
