import type { WorkflowHandle } from '@temporalio/client';
import type { FlagDeadlineAction, FlagReviewState } from '../../src/contracts/flags.ts';
import { flagReview } from '../../src/contracts/workflows/flag-review.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { makePayable } from '../support/factories.ts';
import { flagActions, makeFlag, raise } from '../support/flags.ts';
import { recordHistory } from '../support/histories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const REVIEW_MS = 14 * DAY_MS;
const system = useTestSystem({ env: { RAIL_PAYPAL: 'manual' }, reconcile: { everyMs: 200, graceMs: 100 } });
const context = () => system.runtime.context({ kind: 'system', name: 'test' });
afterEach(async () => expect(await verifyLedger(context())).toEqual([]));

const workflowOf = (flagId: string): WorkflowHandle => system.temporal.clients.finance.workflow.getHandle(`flag/${flagId}`);
const detailsOf = (flagId: string, expected: string) =>
  until(
    `the page of the flag shows "${expected}"`,
    () => currentDetailsOf(workflowOf(flagId)).catch(() => ''),
    (text) => text.includes(expected),
  );
const resultOf = async (flagId: string): Promise<unknown> => {
  await until('the review of the flag has started', () =>
    workflowOf(flagId)
      .describe()
      .then(() => true)
      .catch(() => false),
  );
  return workflowOf(flagId).result();
};
const attributesOf = async (flagId: string) => (await workflowOf(flagId).describe()).searchAttributes;
const flagOf = async (flagId: string) => (await rowsOf(system, 'select * from flag where id = ?', [flagId]))[0] ?? {};
const setDeadlineAction = (key: string, flagDeadlineAction: FlagDeadlineAction) =>
  system.call('PATCH', '/merchant', { key, body: { flagDeadlineAction } });

it('W4: an open flag says who is suspected, what it holds, until when and what to do, and ends when it is resolved', async () => {
  const { flagId, code, programId, key, affiliateId, merchantId, resolve, readFlag } = await makeFlag(system);
  const program = (await system.call('GET', `/programs/${programId}`, { key })).data.name;
  const details = await detailsOf(flagId, '20.00 USD');
  const { dueAt } = await readFlag();
  expect(details).toContain(`**Needs a decision**: ${code} (${program}) · self-referral`);
  expect(details).toContain('On hold: 20.00 USD in 1 of 1 linked conversion');
  expect(details).toContain(`Deadline: ${dueAt.slice(0, 16).replace('T', ' ')} UTC, then it stays open and needs attention`);
  expect(details).toContain('Review the evidence, then choose “Resolve”');
  expect(details).toMatch(new RegExp(`For developers.*POST /flags/${flagId}/resolve`));
  const attributes = await until(
    'the workflow shows its deadline',
    () => attributesOf(flagId),
    (seen) => Boolean(seen['DecideBy']),
  );
  expect(attributes).toMatchObject({
    MerchantId: [merchantId],
    ProgramId: [programId],
    AffiliateId: [affiliateId],
    AffiliateCode: [code],
    State: ['to_decide'],
    NeedsAttention: [false],
    DecideBy: [new Date(dueAt)],
    Amount: [20],
    AmountMinor: [2_000],
    Currency: ['usd'],
  });
  expect(await workflowOf(flagId).query('currentState')).toMatchObject({ status: 'open', waitingFor: 'a decision', dueAt });
  expect((await resolve('dismissed')).status).toBe(200);
  expect(await resultOf(flagId)).toMatchObject({
    affiliate: code,
    program,
    type: 'self_referral',
    status: 'dismissed',
    resolved: 'by a person',
    conversions: 1,
  });
  expect(await attributesOf(flagId)).toMatchObject({ State: ['dismissed'], AmountMinor: [0] });
  await recordHistory(workflowOf(flagId), 'flagReview', 'dismissed');
});

it.each([
  ['confirm', 'confirmed', 'rejected'],
  ['dismiss', 'dismissed', 'approved'],
] as const)('W4: at the deadline the workflow does what the merchant chose: %s', async (action, status, conversionStatus) => {
  const payable = await makePayable(system);
  await setDeadlineAction(payable.key, action);
  const { flagId } = await raise(system, payable, { ageMs: REVIEW_MS - 1_000 });
  const { readFlag, conversion } = flagActions(system, payable, flagId);
  expect(await resultOf(flagId)).toMatchObject({ status, resolved: 'by the deadline' });
  expect(await readFlag()).toMatchObject({ status, deadlineAction: action, holdEndedAt: expect.any(String) });
  expect((await conversion()).status).toBe(conversionStatus);
  await recordHistory(workflowOf(flagId), 'flagReview', `deadline-${action}`);
});

it('W4: a flag that is kept open needs attention, new evidence sets another deadline, and a person resolves it', async () => {
  const payable = await makePayable(system);
  const { flagId } = await raise(system, payable, { ageMs: REVIEW_MS - 500 });
  const { resolve } = flagActions(system, payable, flagId);
  await detailsOf(flagId, '⚠ **Needs a decision**');
  expect(await attributesOf(flagId)).toMatchObject({ State: ['to_decide'], NeedsAttention: [true] });
  expect(await flagOf(flagId)).toMatchObject({ status: 'open', deadline_action: 'keep_open', deadlines: 1 });
  await raise(system, payable);
  const isQuiet = (seen: Awaited<ReturnType<typeof attributesOf>>) => seen['NeedsAttention']?.[0] === false;
  await until('the flag needs no attention any more', () => attributesOf(flagId), isQuiet);
  await resolve('confirmed', { blockAffiliate: true });
  expect(await resultOf(flagId)).toMatchObject({ status: 'confirmed', resolved: 'by a person' });
  await recordHistory(workflowOf(flagId), 'flagReview', 'kept-open');
});

it('W4: evidence before the deadline moves it, also for a workflow that does not hear of it', async () => {
  const payable = await makePayable(system);
  await setDeadlineAction(payable.key, 'confirm');
  const { flagId } = await raise(system, payable, { ageMs: REVIEW_MS - 1_500 });
  await detailsOf(flagId, 'Open');
  await raise(system, payable, { ageMs: REVIEW_MS - 3_000 });
  await rowsOf(system, `delete from outbox where topic = 'flag.changed' and subject_id = ?`, [flagId]);
  await until(
    'the flag is decided',
    () => flagOf(flagId),
    (flag) => flag['status'] !== 'open',
  );
  const { resolved_at: resolvedAt, due_at: dueAt } = await flagOf(flagId);
  expect(new Date(resolvedAt as string).getTime()).toBeGreaterThanOrEqual(new Date(dueAt as string).getTime());
});

it('W4: a flag that was resolved before its workflow started ends at once', async () => {
  const { flagId, resolve, affiliateId, merchantId, programId, code } = await makeFlag(system);
  await workflowOf(flagId)
    .terminate('by an operator')
    .catch(() => {});
  await resolve('reviewed');
  const handle = await system.temporal.clients.finance.workflow.start('flagReview', {
    workflowId: `flag/${flagId}`,
    // The reconciler may have been faster.
    workflowIdConflictPolicy: 'USE_EXISTING',
    taskQueue: `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}workflows`,
    args: [
      {
        affiliate: code,
        program: 'Acme',
        type: 'self_referral',
        flagId,
        merchantId,
        programId,
        affiliateId,
        createdAt: new Date().toISOString(),
        timing: { remindAfterMs: [], recheckMs: 50, recheckMaxMs: 100 },
        links: { api: '/api/v1', workflows: null },
      },
    ],
  });
  expect(await handle.result()).toMatchObject({ status: 'reviewed' });
});

it('W3: a flag whose workflow is terminated or cancelled is still decided', async () => {
  const { flagId, resolve } = await makeFlag(system);
  await detailsOf(flagId, 'Open');
  await workflowOf(flagId).cancel();
  await until(
    'the ignored cancellation is noted',
    () => flagOf(flagId),
    (flag) => Boolean(flag['cancellation_ignored_at']),
  );
  const { runId } = await workflowOf(flagId).describe();
  await workflowOf(flagId).terminate('by an operator');
  await until(
    'another run has started',
    () => workflowOf(flagId).describe(),
    (seen) => seen.runId !== runId && seen.status.name === 'RUNNING',
  );
  await resolve('confirmed');
  expect(await resultOf(flagId)).toMatchObject({ status: 'confirmed' });
});

it('W4: signals that are repeated and reordered change nothing', async () => {
  const { flagId, resolve } = await makeFlag(system);
  await detailsOf(flagId, 'Open');
  const stale = { version: 1, status: 'open', dueAt: new Date(0).toISOString(), deadlineAction: 'keep_open', isHolding: true };
  for (let n = 0; n < 3; n++) await workflowOf(flagId).signal(flagReview.signal.name, stale);
  expect(await workflowOf(flagId).query('currentState')).toMatchObject({ status: 'open', needsAttention: false });
  await resolve('reviewed');
  await workflowOf(flagId)
    .signal(flagReview.signal.name, stale)
    .catch(() => {});
  expect(await resultOf(flagId)).toMatchObject({ status: 'reviewed' });
});

describe('a payout that includes a commission of a confirmed flag', () => {
  const inPayout = async () => {
    const payable = await makePayable(system);
    const created = await system.call('POST', '/payouts', {
      key: payable.key,
      body: { affiliateId: payable.affiliateId, programId: payable.programId },
    });
    const payoutId: string = created.data.id;
    const act = (verb: string, body: unknown = {}) =>
      system.call('POST', `/payouts/${payoutId}/${verb}`, { key: payable.key, body });
    const payout = async () => (await system.call('GET', `/payouts/${payoutId}`, { key: payable.key })).data;
    return { payable, act, payout };
  };

  it('the payout fails before it has an attempt, and the commission is rejected', async () => {
    const { payable, payout } = await inPayout();
    const { flagId } = await raise(system, payable);
    expect(await until('the payout has failed', payout, ({ status }) => status === 'failed')).toMatchObject({
      failureCode: 'items_held',
    });
    const { resolve, conversion } = flagActions(system, payable, flagId);
    await resolve('confirmed');
    expect(await resultOf(flagId)).toMatchObject({ status: 'confirmed' });
    expect((await conversion()).status).toBe('rejected');
  });

  it.each([
    ['fail', 'rejected'],
    ['complete', 'approved'],
  ])('the payout goes on with an attempt: after %s the commission is %s', async (verb, expected) => {
    const { payable, act } = await inPayout();
    expect((await act('process', undefined)).data.status).toBe('processing');
    const { flagId } = await raise(system, payable);
    const { resolve, conversion, readFlag, balance } = flagActions(system, payable, flagId);
    expect((await resolve('confirmed')).data.holdEndedAt).toBeNull();
    await detailsOf(flagId, '1 more in a payout that is not completed');
    expect(await conversion()).toMatchObject({ status: 'approved' });
    await act(verb, { note: 'As the bank said' });
    expect(await resultOf(flagId)).toMatchObject({ status: 'confirmed' });
    expect(await readFlag()).toMatchObject({ holdEndedAt: expect.any(String) });
    expect(await conversion()).toMatchObject({ status: expected });
    expect(await balance()).toMatchObject({ payable: 0, inPayout: 0, paid: expected === 'rejected' ? 0 : 2_000 });
    await recordHistory(workflowOf(flagId), 'flagReview', `in-payout-${verb}`);
  });

  it('the commission is rejected by another run when it was paid and the money comes back', async () => {
    const { payable, act } = await inPayout();
    await act('process', undefined);
    await act('complete');
    const { flagId } = await raise(system, payable);
    const { resolve, conversion, readFlag, balance } = flagActions(system, payable, flagId);
    await resolve('confirmed');
    expect(await resultOf(flagId)).toMatchObject({ status: 'confirmed' });
    expect(await balance()).toMatchObject({ payable: 0, paid: 2_000 });
    await act('return', { note: 'The account is closed' });
    await until('the hold has ended', readFlag, ({ holdEndedAt }) => holdEndedAt !== null);
    expect(await resultOf(flagId)).toMatchObject({ status: 'confirmed', flagId });
    expect(await conversion()).toMatchObject({ status: 'rejected', commission: 0 });
    expect(await balance()).toMatchObject({ payable: 0, inPayout: 0, paid: 0 });
  });
});

it('the snapshot of a flag has no personal data', async () => {
  const { flagId } = await makeFlag(system);
  await detailsOf(flagId, 'Open');
  const history = await workflowOf(flagId).fetchHistory();
  expect(JSON.stringify(history)).not.toContain('@example');
  const state = (await workflowOf(flagId).query('currentState')) as Partial<FlagReviewState>;
  expect(Object.keys(state).sort()).toEqual(['dueAt', 'needsAttention', 'status', 'waitingFor']);
});
