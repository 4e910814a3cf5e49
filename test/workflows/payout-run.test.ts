import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { signalRunWorkflow } from '../../src/domains/payout-runs/run-workflow.steps.ts';
import { sendRefund, unique } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { draftRun, makePayees, transactionAs } from '../support/payout-runs.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const system = useTestSystem({ reconcile: { everyMs: 500, graceMs: 0 }, env: { TEMPORAL_UI_URL: 'http://ui.example/' } });

const handleOf = (runId: string) => system.temporal.clients.finance.workflow.getHandle(`payout-run/${runId}`);

const detailsOf = (runId: string, part: string) =>
  until(
    `the page of the run shows "${part}"`,
    () => currentDetailsOf(handleOf(runId)).catch(() => ''),
    (text) => text.includes(part),
  );

/** As the Temporal UI: from the first workflow task. Returns the new run. */
const reset = async (runId: string): Promise<string> => {
  const { events } = await handleOf(runId).fetchHistory();
  const task = events?.find(({ workflowTaskCompletedEventAttributes: completed }) => completed);
  const { finance: client } = system.temporal.clients;
  const { runId: created } = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: `payout-run/${runId}`, runId: (await handleOf(runId).describe()).runId },
    reason: 'test',
    workflowTaskFinishEventId: task?.eventId ?? null,
    requestId: unique(),
  });
  return created;
};

const paid = () => ({ amount: 10_000, local: undefined });

it('a run shows its draft, pays each affiliate once, leaves out whom it cannot pay, and says so', async () => {
  const own = await makePayees(system, [paid(), paid(), paid(), paid()]);
  const [, blocked, richer, poorer] = own.payees;
  const run = await draftRun(system, own);
  const draft = await detailsOf(run.runId, '**Draft**');
  expect(draft).toContain('**Draft**: 80.00 USD to 4 affiliates');
  expect(draft).toMatch(/^\[Open in the console\]\(http.*\/console\/pay\/runs\/.*\)\n/);
  expect(draft).toContain('Review who gets paid, then choose “Confirm”.');
  expect(draft).toContain('confirm with `{"total":{"usd":8000},"items":4}`');
  const described = await handleOf(run.runId).describe();
  expect(described.searchAttributes).toMatchObject({ State: ['draft'], AmountText: ['80.00 USD'], NeedsAttention: [true] });

  await system.call('POST', `/affiliates/${blocked?.affiliateId}/block`, { key: own.key, body: {} });
  await rowsOf(system, 'update payout_run_item set amount = 1500 where affiliate_id = ?', [richer?.affiliateId]);
  const refunded = await sendRefund(system, own.program, { saleId: poorer?.saleId ?? '', refundId: 'refund-1', amount: 4_000 });
  expect(refunded.status).toBe(200);
  expect(await run.confirm()).toMatchObject({ status: 200, data: { status: 'running' } });
  expect(await handleOf(run.runId).result()).toEqual({
    status: 'completed',
    paid: '32.00 USD',
    payouts: 2,
    failed: 0,
    leftOut: 2,
    runId: run.runId,
  });
  const items = Object.fromEntries((await run.itemsOf()).map((item: { affiliateId: string }) => [item.affiliateId, item]));
  expect(own.payees.map(({ affiliateId }) => items[affiliateId])).toMatchObject([
    { result: 'completed', reason: null, amount: 2000, paidAmount: 2000 },
    { result: 'left_out', reason: 'AFFILIATE_BLOCKED', payoutId: null },
    { result: 'left_out', reason: 'AMOUNT_ROSE', payoutId: null },
    { result: 'completed', reason: null, amount: 2000, paidAmount: 1200 },
  ]);
  const closed = await currentDetailsOf(handleOf(run.runId));
  expect(closed).toContain('✓ **Completed with exceptions**');
  expect(closed).toContain('`AFFILIATE_BLOCKED`');
  const { searchAttributes } = await handleOf(run.runId).describe();
  expect(searchAttributes).toMatchObject({ State: ['completed'], NeedsAttention: [false] });
  expect(searchAttributes['PaidAmount']).toBeUndefined();
  expect(await run.read()).toMatchObject({ status: 'completed', progress: { waiting: 0, open: 0, final: 2 } });
  const events = await rowsOf(system, `select type from webhook_event where merchant_id = ? and type = 'payout_run.completed'`, [
    own.merchantId,
  ]);
  expect(events).toHaveLength(1);
  await recordHistory(handleOf(run.runId), 'payoutRun', 'completed-with-exceptions');
});

it('a paused run creates and sends nothing; resumed, it goes on', async () => {
  const own = await makePayees(system, [paid(), paid()]);
  const run = await draftRun(system, own);
  await run.confirm();
  expect(await run.act('pause')).toMatchObject({ status: 200 });
  const [before] = await rowsOf(
    system,
    'select count(*) as count from payout_attempt t join payout p on p.id = t.payout_id where p.payout_run_id = ?',
    [run.runId],
  );
  expect(await detailsOf(run.runId, '**Paused**')).toContain('Choose “Resume” to continue');
  const [after] = await rowsOf(
    system,
    'select count(*) as count from payout_attempt t join payout p on p.id = t.payout_id where p.payout_run_id = ?',
    [run.runId],
  );
  expect(after).toEqual(before);
  expect(await run.act('resume')).toMatchObject({ status: 200 });
  expect(await handleOf(run.runId).result()).toMatchObject({ status: 'completed', payouts: 2, paid: '40.00 USD' });
  await recordHistory(handleOf(run.runId), 'payoutRun', 'paused');
});

it('manual payouts of a run are all created; cancelled, those without an attempt fail and the others go on', async () => {
  const own = await makePayees(system, [
    { amount: 10_000, local: { holder: 'Ada' } },
    { amount: 10_000, local: { holder: 'Bob' } },
  ]);
  const run = await draftRun(system, own);
  await run.confirm();
  const items = await until('every item of the run is pending', run.itemsOf, (found) =>
    found.every(({ result }: { result: string }) => result === 'pending'),
  );
  expect(await detailsOf(run.runId, '2 in progress')).toContain(`POST /payout-runs/${run.runId}/process`);
  const [first, second] = items as { payoutId: string }[];
  await run.act('pause');
  const refused = await system.call('POST', `/payouts/${first?.payoutId}/process`, { key: own.key });
  expect(refused).toMatchObject({ status: 409, error: { details: { reason: 'RUN_PAUSED', runId: run.runId } } });
  await run.act('resume');
  expect(await system.call('POST', `/payouts/${first?.payoutId}/process`, { key: own.key })).toMatchObject({ status: 200 });
  expect(await run.act('cancel')).toMatchObject({ status: 200, data: { status: 'cancelled', cancelReason: 'person' } });
  expect(await handleOf(run.runId).result()).toMatchObject({ status: 'cancelled', payouts: 2, failed: 1 });
  const statusOf = async (id?: string) => (await system.call('GET', `/payouts/${id}`, { key: own.key })).data;
  expect(await statusOf(first?.payoutId)).toMatchObject({ status: 'processing' });
  expect(await statusOf(second?.payoutId)).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
  await recordHistory(handleOf(run.runId), 'payoutRun', 'cancelled');
});

it('an affiliate whose payout cannot be created holds up nobody, is shown, and is tried again until it can be', async () => {
  const own = await makePayees(system, [paid(), paid()]);
  const run = await draftRun(system, own);
  const setDetails = (expression: string) =>
    rowsOf(system, `update affiliate_profile set payout_details = ${expression} where id = ?`, [own.payees[0]?.profileId]);
  await setDetails(`'x' || payout_details`);
  await run.confirm();
  expect(await detailsOf(run.runId, "can't be created. An")).toContain("1 payout can't be created");
  await until('a payout of the run is completed', run.itemsOf, (items) =>
    items.some(({ result }: { result: string }) => result === 'completed'),
  );
  await setDetails('substr(payout_details, 2)');
  expect(await handleOf(run.runId).result()).toMatchObject({ status: 'completed', payouts: 2, paid: '40.00 USD' });
});

it('a draft that nobody confirms expires', async () => {
  const own = await makePayees(system, [paid()]);
  const run = await draftRun(system, own);
  await detailsOf(run.runId, '**Draft**');
  await rowsOf(system, `update payout_run set created_at = created_at - interval '8 days' where id = ?`, [run.runId]);
  await transactionAs(system, (ctx) => signalRunWorkflow(ctx, { id: run.runId }));
  expect(await handleOf(run.runId).result()).toMatchObject({ status: 'cancelled', payouts: 0 });
  expect(await run.read()).toMatchObject({ status: 'cancelled', cancelReason: 'draft_expired' });
  await recordHistory(handleOf(run.runId), 'payoutRun', 'expired');
});

it('a terminated run is started again; a cancellation has no effect; a copy and a reset end as superseded', async () => {
  const own = await makePayees(system, [{ amount: 10_000, local: { holder: 'Ada' } }]);
  const run = await draftRun(system, own);
  await detailsOf(run.runId, '**Draft**');
  await handleOf(run.runId).terminate('by hand');
  await until(
    'the workflow is running again',
    () => handleOf(run.runId).describe(),
    ({ status }) => status.name === 'RUNNING',
  );
  await handleOf(run.runId).cancel();
  expect(await detailsOf(run.runId, 'Cancellation requested in Temporal')).toContain(`POST /payout-runs/${run.runId}/cancel`);
  const { raw } = await handleOf(run.runId).describe();
  const { finance } = system.temporal.clients;
  const history = await handleOf(run.runId).fetchHistory();
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const input: unknown = JSON.parse(Buffer.from(started?.input?.payloads?.[0]?.data ?? []).toString());
  const copy = await finance.workflow.start('payoutRun', {
    workflowId: `copy-of-${run.runId}`,
    taskQueue: raw.executionConfig?.taskQueue?.name ?? '',
    args: [input],
  });
  expect(await copy.result()).toMatchObject({ status: 'superseded', payouts: 0 });
  expect((await copy.describe()).searchAttributes['Amount']).toBeUndefined();
  await recordHistory(copy, 'payoutRun', 'superseded');
  await run.act('cancel');
  expect(await handleOf(run.runId).result()).toMatchObject({ status: 'cancelled' });
  const again = await reset(run.runId);
  expect(await finance.workflow.getHandle(`payout-run/${run.runId}`, again).result()).toMatchObject({ status: 'superseded' });
});
