import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { FAST_TIMING, until, useTestSystem } from '../support/system.ts';

const system = useTestSystem({
  timing: { ...FAST_TIMING, remindAfterMs: [] },
  sandbox: { returnMs: 300 },
  reconcile: { everyMs: 200, graceMs: 0 },
});
const em = () => system.runtime.context({ kind: 'system', name: 'test' }).em;
const NOTE = { note: 'The bank told us' };
const PAYOUT_TYPES = 'WorkflowType in ("payoutLifecycle", "payoutCorrection", "payoutContradiction")';

interface Made {
  merchantId: string;
  key: string;
  payoutId: string;
}

const made: Made[] = [];

const remember = <T extends Made>(payout: T): T => {
  made.push(payout);
  return payout;
};

const bySandbox = async (local: string) => {
  const payable = await makePayable(system, { local: `${local}+${unique()}` });
  const { key, affiliateId, programId } = payable;
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const payoutId: string = data.id;
  const read = async () => (await system.call('GET', `/payouts/${payoutId}`, { key })).data;
  const ends = (...statuses: string[]) => until(read, ({ status }) => statuses.includes(status));
  const act = (verb: string, body: object) => system.call('POST', `/payouts/${payoutId}/${verb}`, { key, body });
  return remember({ ...payable, payoutId, read, ends, act });
};

const byHand = async (...verbs: ('process' | 'complete' | 'fail' | 'cancel' | 'return')[]) => {
  const payout = remember(await makeManualPayout(system));
  for (const verb of verbs)
    expect((await payout.act(verb, verb === 'process' || verb === 'cancel' ? {} : NOTE)).status).toBe(200);
  return payout;
};

const contradict = async (payoutId: string, recorded: 'paid' | 'failed', reported: 'paid' | 'failed') => {
  await em().execute(
    `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select payout_id, 1, id, ?, ?, now() from payout_attempt where payout_id = ?`,
    [recorded, reported, payoutId],
  );
  await em().execute(`update payout set needs_attention = true, review_reason = 'contradiction' where id = ?`, [payoutId]);
};

const handleOf = (payoutId: string, runId?: string) =>
  system.temporal.clients.finance.workflow.getHandle(`payout/${payoutId}`, runId);

const stateOf = async (payoutId: string) =>
  String(
    (
      await handleOf(payoutId)
        .describe()
        .catch(() => null)
    )?.searchAttributes['State']?.[0],
  );

const shows = (payoutId: string, state: string) =>
  until(
    () => stateOf(payoutId),
    (seen) => seen === state,
  );

/** As the Temporal UI: from the first workflow task. */
const reset = async (payoutId: string): Promise<string> => {
  const { events } = await handleOf(payoutId).fetchHistory();
  const task = events?.find(({ workflowTaskCompletedEventAttributes: completed }) => completed);
  const client = system.temporal.clients.finance;
  const { runId } = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: `payout/${payoutId}`, runId: (await handleOf(payoutId).describe()).runId },
    reason: 'test',
    workflowTaskFinishEventId: task?.eventId ?? null,
    requestId: unique(),
  });
  return runId;
};

const timelineOf = async (payoutId: string): Promise<string[]> => {
  const rows = await em().execute('select type from payout_timeline where payout_id = ? order by seq', [payoutId]);
  return rows.map(({ type }) => String(type));
};

/** What a person reads in the Temporal UI as the sum of a list, by merchant in minor units. */
const sumOfList = async (merchantId: string): Promise<number> => {
  let sum = 0;
  const query = `${PAYOUT_TYPES} and MerchantId = "${merchantId}"`;
  for await (const { searchAttributes } of system.temporal.clients.finance.workflow.list({ query }))
    sum += Math.round(Number(searchAttributes['PaidAmount']?.[0] ?? 0) * 100);
  return sum;
};

const paidByLedger = async (merchantId: string): Promise<number> => {
  const [row] = await em().execute('select coalesce(sum(paid), 0)::int as paid from ledger_balance where merchant_id = ?', [
    merchantId,
  ]);
  return Number(row?.['paid']);
};

/** Postgres shows a payout as paid before the workflow does. */
const agree = async ({ merchantId, key, payoutId }: Made) => {
  const { totalPaid } = (await system.call('GET', '/payouts/stats', { key })).data;
  expect([payoutId, await paidByLedger(merchantId)]).toEqual([payoutId, totalPaid]);
  await until(
    () => sumOfList(merchantId),
    (sum) => sum === totalPaid,
  );
};

it('FI1: the sum of PaidAmount is what the API and the ledger say was paid', async () => {
  const paid = await bySandbox('ok');
  await paid.ends('completed');
  await (await bySandbox('fail-definite')).ends('failed');
  await until((await bySandbox('returned')).read, ({ failureCode }) => failureCode === 'returned');
  await byHand('process', 'complete');
  await byHand('process', 'complete', 'return');
  await byHand('process', 'fail');
  await byHand('cancel');
  const evident = await bySandbox('ok');
  await evident.ends('completed');
  expect((await evident.act('return', { ...NOTE, evidence: 'Statement 12' })).status).toBe(200);
  for (const [recorded, reported, outcome] of [
    ['paid', 'failed', 'not_paid'],
    ['paid', 'failed', 'paid'],
    ['failed', 'paid', 'paid'],
    ['failed', 'paid', 'not_paid'],
  ] as const) {
    const payout = await byHand('process', recorded === 'paid' ? 'complete' : 'fail');
    await contradict(payout.payoutId, recorded, reported);
    expect((await payout.act('resolve', { ...NOTE, outcome })).status).toBe(200);
  }
  for (const payout of made) await agree(payout);
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
}, 120_000);

it('FI11: a payout that was reset after its end is counted once, and its timeline says so', async () => {
  const payout = await bySandbox('ok');
  await payout.ends('completed');
  await shows(payout.payoutId, 'paid');
  await handleOf(payout.payoutId, await reset(payout.payoutId)).result();
  expect(await stateOf(payout.payoutId)).toBe('superseded');
  expect(await timelineOf(payout.payoutId)).toContain('workflow_superseded');
  await agree(payout);
});

it('FI11: a run that is reset while it waits goes on as the one that shows the payout', async () => {
  const payout = await byHand('process');
  await shows(payout.payoutId, 'awaiting_finance');
  await reset(payout.payoutId);
  await payout.act('complete', NOTE);
  await shows(payout.payoutId, 'paid');
  await until(
    () => timelineOf(payout.payoutId),
    (types) => types.includes('workflow_terminated'),
  );
  await agree(payout);
});

it('FI11: a copy sends nothing and counts nothing', async () => {
  const payout = await byHand('process');
  await shows(payout.payoutId, 'awaiting_finance');
  const client = system.temporal.clients.finance;
  const { events } = await handleOf(payout.payoutId).fetchHistory();
  const input = JSON.parse(
    Buffer.from(events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data ?? '').toString('utf8'),
  );
  const { taskQueue } = await handleOf(payout.payoutId).describe();
  const copy = await client.workflow.start('payoutLifecycle', { workflowId: `copy-${unique()}`, taskQueue, args: [input] });
  expect(await copy.result()).toMatchObject({ status: 'superseded' });
  expect(await timelineOf(payout.payoutId)).toContain('workflow_superseded');
  await payout.act('complete', NOTE);
  await shows(payout.payoutId, 'paid');
  await agree(payout);
});

it.each(['before', 'after'])('FI11: a payout whose run was terminated %s its end is shown by another one', async (when) => {
  const payout = await byHand('process');
  await shows(payout.payoutId, 'awaiting_finance');
  if (when === 'after') await payout.act('complete', NOTE);
  if (when === 'after') await shows(payout.payoutId, 'paid');
  await handleOf(payout.payoutId)
    .terminate('test')
    .catch(() => {});
  if (when === 'before') await payout.act('complete', NOTE);
  await shows(payout.payoutId, 'paid');
  await agree(payout);
});

it('FI11: a correction that is terminated, or reset after its end, is counted once', async () => {
  const payout = await byHand('process', 'complete', 'return');
  const correction = `${payout.payoutId}/correction/1`;
  await shows(correction, 'returned');
  await handleOf(correction, await reset(correction)).result();
  expect(await stateOf(correction)).toBe('superseded');
  await agree(payout);
});
