import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { makePayable, unique } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { FAST_TIMING, openTestSystem, type TestSystem, useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';
import { outcomeOf } from '../support/workflow-outcome.ts';

const system = useTestSystem({ sandbox: { slowMs: 500, returnMs: 300 } });
/** Looks nothing up before a notification, however busy the machine is. */
const patient = useTestSystem({ timing: { ...FAST_TIMING, lookUpMs: 60_000, lookUpMaxMs: 60_000 } });

const payTo = async (local: string, system: TestSystem) => {
  const payable = await makePayable(system, { local: `${local}+${unique()}` });
  const { key, affiliateId, programId } = payable;
  const created = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(created.status).toBe(201);
  const id: string = created.data.id;
  const programName: string = (await system.call('GET', `/programs/${programId}`, { key })).data.name;
  const payout = async () => (await system.call('GET', `/payouts/${id}`, { key })).data;
  const timeline = async () =>
    (await system.call('GET', `/payouts/${id}/timeline`, { key })).data as { type: string; attempt: number; outcome: string }[];
  const ends = (...statuses: string[]) =>
    until(`the payout is ${statuses.join(' or ')}`, payout, (seen) => statuses.includes(seen.status));
  const workflow = () => system.temporal.clients.finance.workflow.getHandle(`payout/${id}`);
  const keep = async (path: string) => {
    await outcomeOf(workflow());
    await recordHistory(workflow(), 'payoutLifecycle', path);
  };
  const transfers = async () => (await system.sandbox.transfers()).filter((transfer) => transfer.reference === id);
  return { ...payable, id, programName, payout, timeline, ends, workflow, keep, transfers };
};

const ledgerIsRight = async () => {
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
};

it('ok: is completed by the notification, after a single activity', async () => {
  const { keep, id, code, programName, ends, payout, workflow, transfers } = await payTo('ok', patient);
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed', amount: 2000 });
  const result = {
    amount: '20.00 USD',
    to: code,
    program: programName,
    rail: 'sandbox',
    method: 'paypal',
    status: 'completed',
    reason: null,
    next: null,
    payoutId: id,
    amountMinor: '2000',
    currency: 'usd',
    attempts: 1,
    failureCode: null,
  };
  const ended = await workflow().result();
  expect(ended).toEqual(result);
  expect(Object.keys(ended as object)).toEqual(Object.keys(result));
  expect(await transfers()).toMatchObject([{ amount: 2000, executedCount: 1, status: 'paid' }]);
  const { events } = await workflow().fetchHistory();
  expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(1);
  expect(JSON.stringify(events)).not.toContain('example.com');
  const described = await workflow().describe();
  expect(described.searchAttributes).toMatchObject({
    State: ['paid'],
    AmountText: ['20.00 USD'],
    PaidAmount: [20],
    PaidAt: [new Date((await payout()).paidAt)],
    Reference: [(await transfers())[0]?.id],
    AmountMinor: [2000],
    Amount: [20],
    AffiliateCode: [code],
    Currency: ['usd'],
    Rail: ['sandbox'],
  });
  expect(await described.staticSummary()).toBe(`Payout 20.00 USD to ${code} (${programName}), sandbox`);
  await ledgerIsRight();
  await keep('ok');
});

it('T2: fail-definite: fails in Temporal too, and the money is payable again', async () => {
  const { keep, key, id, code, programName, affiliateId, programId, ends, workflow } = await payTo('fail-definite', system);
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'failed', failureCode: 'rail_rejected' });
  const pending = await system.call('GET', '/payouts/pending', { key });
  expect(pending.data).toMatchObject([{ affiliateId, programId, pendingAmount: 2000 }]);
  await ledgerIsRight();
  await keep('fail-definite');
  const described = await workflow().describe();
  expect(described.status.name).toBe('FAILED');
  expect(described.searchAttributes).toMatchObject({ State: ['failed'], Reason: [expect.any(String)] });
  expect(described.searchAttributes).not.toHaveProperty('PaidAmount');
  const read = `its page in the console, and the workflows with the filter \`WorkflowId STARTS_WITH "payout/${id}/"\``;
  const advice =
    'Ask the affiliate for new payout details, then choose “Retry”. After three refusals, the same details are paused until they are changed or confirmed.';
  const outcome = await outcomeOf(workflow());
  expect(outcome).toMatchObject({ amount: '20.00 USD', to: code, status: 'failed' });
  expect(outcome.next).toContain(`Before anything is paid again, read ${read}. A retry, or a run that paid it, is among`);
  expect(outcome.next).toContain(`. If it is still failed then, and no newer payout pays it: ${advice}`);
  const details = await currentDetailsOf(workflow());
  expect(details).toContain(`✗ **Failed**: 20.00 USD to ${code} (${programName}) · the provider rejected it \\(`);
  expect(details).toContain('- Failure: `rail_rejected`, provider');
});

it('unknown-paid: is looked up, not sent again, and found paid once', async () => {
  const { keep, ends, timeline, transfers } = await payTo('unknown-paid', system);
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed' });
  expect(await timeline()).toContainEqual(expect.objectContaining({ type: 'attempt_sent', outcome: 'unknown' }));
  expect(await transfers()).toMatchObject([{ executedCount: 1 }]);
  await ledgerIsRight();
  await keep('unknown-paid');
});

it('unknown-unpaid: is looked up, and the same attempt is sent again under the same key', async () => {
  const { keep, id, ends, timeline, transfers } = await payTo('unknown-unpaid', system);
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed' });
  const entries = (await timeline()).map(({ type, outcome }) => ({ type, outcome }));
  expect(entries).toContainEqual({ type: 'attempt_sent', outcome: 'unknown' });
  expect(entries).toContainEqual({ type: 'status_checked', outcome: 'never_received' });
  expect(await transfers()).toMatchObject([{ idempotencyKey: `payout-${id}-1`, executedCount: 1 }]);
  await ledgerIsRight();
  await keep('unknown-unpaid');
});

it('unknown-unpaid-always: after three sends a manual review is requested and decided with a note', async () => {
  const { keep, id, key, payout, ends } = await payTo('unknown-unpaid-always', system);
  await until('the payout needs attention', payout, (seen) => seen.needsAttention);
  const without = await system.call('POST', `/payouts/${id}/fail`, { key });
  expect(without.error.details).toMatchObject({ reason: 'RAIL_NOT_MANUAL' });
  const decided = await system.call('POST', `/payouts/${id}/fail`, {
    key,
    body: { note: 'The provider confirmed that nothing was sent' },
  });
  expect(decided.data).toMatchObject({ status: 'failed', failureCode: 'marked_failed' });
  await ends('failed');
  await ledgerIsRight();
  await keep('manual-review');
});

it('slow: times out and is completed all the same', async () => {
  const { keep, ends, transfers } = await payTo('slow', system);
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed' });
  expect(await transfers()).toMatchObject([{ executedCount: 1 }]);
  await keep('slow');
});

it('returned: completes, and a workflow of its own records the returned payment', async () => {
  const { keep, key, affiliateId, programId, ends, workflow, id } = await payTo('returned', system);
  await ends('completed', 'failed');
  expect(await ends('failed')).toMatchObject({ failureCode: 'returned' });
  expect(await workflow().result()).toMatchObject({ status: 'completed' });
  const pending = await system.call('GET', '/payouts/pending', { key });
  expect(pending.data).toMatchObject([{ affiliateId, programId, pendingAmount: 2000 }]);
  const retry = await system.call('POST', `/payouts/${id}/retry`, { key });
  expect(retry.data).toMatchObject({ retryOf: id, amount: 2000 });
  await ledgerIsRight();
  await keep('returned');
  const returned = system.temporal.clients.finance.workflow.getHandle(`payout/${id}/correction/1`);
  expect(await returned.result()).toMatchObject({ amount: '20.00 USD', was: 'completed', is: 'failed', by: 'sandbox' });
  const { searchAttributes } = await returned.describe();
  expect(searchAttributes).toMatchObject({ State: ['returned'], PaidAmount: [-20] });
  await recordHistory(returned, 'payoutCorrection', 'returned');
});

it('T2: manual rail: waits for finance, sends reminders, and ends once the payout is marked as paid', async () => {
  const { key, code, programName, payoutId: id } = await makeManualPayout(system);
  const timeline = async () =>
    (await system.call('GET', `/payouts/${id}/timeline`, { key })).data as {
      type: string;
      reason: string | null;
      reminder: number | null;
    }[];
  await until('the first reminder is on the timeline', timeline, (seen) =>
    seen.some(({ type, reminder }) => type === 'reminder_sent' && reminder === 1),
  );
  await until('the timeline says that reminders are exhausted', timeline, (seen) =>
    seen.some(({ reason }) => reason === 'reminders_exhausted'),
  );
  const workflow = system.temporal.clients.finance.workflow.getHandle(`payout/${id}`);
  expect(await workflow.query('currentState')).toMatchObject({
    status: 'pending',
    waitingFor: 'finance to pay and mark as paid',
    needsAttention: true,
  });
  const time = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;
  const before = ['Payout created, by an API key', 'Reminder 1: waiting to be paid'];
  expect((await currentDetailsOf(workflow)).replace(time, '<time>')).toBe(
    [
      `[Open in the console](${system.origin}/console/payouts/${id})`,
      '',
      `⚠ **To pay**: 20.00 USD to ${code} (${programName}) · still unpaid after the last reminder`,
      '',
      'Somebody from the team makes this payment.',
      '',
      '**What to do until <time>**: Choose “Mark as in progress”, pay as the instructions say, then choose “Mark as paid”.',
      '',
      '- Created: <time>',
      '- Rail: manual, bank transfer',
      '- Waiting for: finance to pay and mark as paid; nothing happens by itself',
      '',
      '**What happened last**',
      '',
      ...[...before, 'Manual review required: still unpaid after the last reminder'].map((line) => `- <time>: ${line}`),
      '',
      `*For developers*: [GET /payouts/${id}](${system.origin}/api/v1/payouts/${id}) · \`POST /payouts/${id}/process\` · \`POST /payouts/${id}/cancel\``,
    ].join('\n'),
  );
  const attention = async () => (await workflow.describe()).searchAttributes['NeedsAttention'];
  await until('the workflow needs attention', attention, (value) => value?.[0] === true);
  expect((await system.call('POST', `/payouts/${id}/process`, { key })).data.status).toBe('processing');
  expect((await system.call('POST', `/payouts/${id}/complete`, { key, body: {} })).data.status).toBe('completed');
  expect(await workflow.result()).toMatchObject({ status: 'completed', rail: 'manual' });
  const { searchAttributes } = await workflow.describe();
  expect(searchAttributes).toMatchObject({ State: ['paid'], PaidAmount: [20], NeedsAttention: [false] });
  const nothingDue = `WorkflowId = "payout/${id}" and NextCheckAt is null and DecideBy is null`;
  await until(
    'the list shows the workflow without a deadline',
    () => system.temporal.clients.finance.workflow.count(nothingDue),
    ({ count }) => count === 1,
  );
  expect(await currentDetailsOf(workflow)).toContain('✓ **Paid**');
  await ledgerIsRight();
  await recordHistory(workflow, 'payoutLifecycle', 'manual');
});

it('cancelled before its workflow started: the workflow ends at once with status failed', async () => {
  const quiet = await openTestSystem({ work: false });
  try {
    const { key, affiliateId, programId } = await makePayable(quiet);
    const { data } = await quiet.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    await quiet.call('POST', `/payouts/${data.id}/cancel`, { key });
    // With the row that wakes the screening of the sale, once that is due.
    expect(await quiet.relay.round()).toBeGreaterThanOrEqual(2);
    const workflow = quiet.temporal.clients.finance.workflow.getHandle(`payout/${data.id}`);
    const { startTemporalWorkers } = await import('../../src/worker/temporal-workers.ts');
    const workers = startTemporalWorkers(quiet.runtime, quiet.runtime.config, {
      queues: ['workflows', 'payouts', 'payouts-sandbox'],
      tracing: null,
    });
    expect(await outcomeOf(workflow)).toMatchObject({ status: 'failed', attempts: 0, failureCode: 'cancelled' });
    await recordHistory(workflow, 'payoutLifecycle', 'cancelled');
    await workers.stop();
  } finally {
    await quiet.close();
  }
});
