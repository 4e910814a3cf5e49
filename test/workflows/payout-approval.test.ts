import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { blockAffiliate } from '../../src/domains/affiliates/index.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { sendPayout } from '../../src/domains/payouts/index.ts';
import { approvePayout } from '../../src/domains/payouts/use-cases/approve-payout.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { makeApprovals } from '../support/approvals.ts';
import { unique } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { FAST_TIMING, type TestSystem, useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';
import { outcomeOf } from '../support/workflow-outcome.ts';

const system = useTestSystem({ reconcile: { everyMs: 300, graceMs: 0 } });

/** A payout of 100.00 usd that waits for approval. */
const makeWaiting = async (api = system) => {
  const approvals = await makeApprovals(api, { amount: 50_000, local: `ok+${unique()}` });
  const created = await approvals.pay();
  expect(created).toMatchObject({ status: 201, data: { status: 'pending', approvalRequiredAt: expect.any(String) } });
  const id: string = created.data.id;
  const workflow = api.temporal.clients.finance.workflow.getHandle(`payout/${id}`);
  const transfers = async () => (await api.sandbox.transfers()).filter(({ reference }) => reference === id);
  const waits = () =>
    until(
      'the workflow waits for a second actor',
      () => workflow.query<{ waitingFor: string }>('currentState').catch(() => null),
      (state) => state?.waitingFor === 'a second actor to approve',
    );
  const ends = () =>
    until(
      'the payout is decided',
      () => approvals.read(id),
      ({ status }) => status === 'completed' || status === 'failed',
    );
  return { ...approvals, payout: created.data, id, workflow, transfers, waits, ends };
};

const ledgerIsRight = async () => {
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
};

it('a payout waits before its first attempt, says who has to do what until when, and is sent once it is approved', async () => {
  const { id, code, programId, key, payout, act, ends, workflow, waits, transfers } = await makeWaiting();
  await waits();
  const { searchAttributes } = await until(
    'the workflow shows its deadline',
    () => workflow.describe(),
    (seen) => seen.searchAttributes['DecideBy'] !== undefined,
  );
  const decideBy = new Date(Date.parse(payout.approvalRequiredAt) + 60_000);
  expect(searchAttributes).toMatchObject({ State: ['to_approve'], DecideBy: [decideBy], NeedsAttention: [false] });
  const { name } = (await system.call('GET', `/programs/${programId}`, { key })).data;
  const details = await currentDetailsOf(workflow);
  expect(details).toContain(`**Awaiting approval**: 100.00 USD to ${code} (${name})`);
  expect(details).toMatch(/What to do until .*: Check the amount and the payee, then choose “Approve” or “Reject”/);
  expect(details).toMatch(new RegExp(`For developers.*POST /payouts/${id}/approve.*POST /payouts/${id}/cancel`));
  expect(details).toContain('Waiting for the approval of a second actor');
  const { runtime } = system;
  const early = await sendPayout(runtime.context({ kind: 'system', name: 'test' }), runtime.rails, { payoutId: id });
  expect(early).toMatchObject({ status: 'pending', attempts: 0, awaitsApproval: true });
  expect(await transfers()).toEqual([]);
  expect((await act(id, 'approve')).status).toBe(200);
  expect(await ends()).toMatchObject({ status: 'completed', approvedAt: expect.any(String) });
  expect(await transfers()).toMatchObject([{ executedCount: 1, amount: 10_000 }]);
  await outcomeOf(workflow);
  const { events } = await workflow.fetchHistory();
  expect(JSON.stringify(events)).not.toContain('example.com');
  await ledgerIsRight();
  await recordHistory(workflow, 'payoutLifecycle', 'approved');
});

it('a payout ends when its approval is refused', async () => {
  const { id, act, waits, workflow, transfers } = await makeWaiting();
  await waits();
  expect((await act(id, 'cancel')).status).toBe(200);
  expect(await outcomeOf(workflow)).toMatchObject({ status: 'failed', failureCode: 'cancelled', attempts: 0 });
  expect(await transfers()).toEqual([]);
  await ledgerIsRight();
  await recordHistory(workflow, 'payoutLifecycle', 'approval-refused');
});

it('a payout fails when its affiliate is blocked meanwhile', async () => {
  const { affiliateId, waits, workflow, ends, merchantId, keyId } = await makeWaiting();
  await waits();
  const actor = { kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes: SCOPES_OF.merchant } as const;
  await blockAffiliate(system.runtime.context(actor), { id: affiliateId });
  expect(await ends()).toMatchObject({ failureCode: 'affiliate_blocked' });
  expect(await outcomeOf(workflow)).toMatchObject({ status: 'failed', attempts: 0 });
});

/** As its only message to the workflow is lost. */
const approveUnheard = async (
  api: TestSystem,
  { id, merchantId, otherKeyId }: { id: string; merchantId: string; otherKeyId: string },
) => {
  const actor = { kind: 'key', keyId: otherKeyId, keyType: 'merchant', ownerId: merchantId, scopes: SCOPES_OF.merchant } as const;
  await inTransaction(api.runtime.context(actor), async (ctx) => {
    await approvePayout(ctx, { id });
    await ctx.em.execute("delete from outbox where subject_id = ? and topic = 'payout.changed'", [id]);
  });
};

it('an approval that is lost with the workflow is carried out by the one that the reconciler starts', async () => {
  const waiting = await makeWaiting();
  await waiting.waits();
  await waiting.workflow.terminate('by an operator');
  await approveUnheard(system, waiting);
  expect(await waiting.ends()).toMatchObject({ status: 'completed' });
  expect(await waiting.transfers()).toMatchObject([{ executedCount: 1 }]);
  await ledgerIsRight();
});

it('a workflow that is terminated while it waits is started again, and still waits', async () => {
  const { id, act, waits, workflow, ends, transfers, timeline } = await makeWaiting();
  await waits();
  await workflow.terminate('by an operator');
  await until(
    'the workflow is running again',
    () => workflow.describe(),
    ({ status }) => status.name === 'RUNNING',
  );
  await waits();
  expect(await transfers()).toEqual([]);
  expect((await act(id, 'approve')).status).toBe(200);
  expect(await ends()).toMatchObject({ status: 'completed' });
  // The reconciler notes it after it has started the workflow again.
  await until(
    'the terminated run is on the timeline',
    () => timeline(id),
    (entries) => entries.some(({ type }) => type === 'workflow_terminated'),
  );
});

describe('without an approval', () => {
  const approval = { remindAfterMs: [300, 600], expireAfterMs: 1_500 };
  const fast = useTestSystem({ timing: { ...FAST_TIMING, approval } });

  it('reminds twice, then fails, and the affiliate is not told', async () => {
    const { id, code, ends, workflow, timeline, act, affiliateId, key } = await makeWaiting(fast);
    expect(await ends()).toMatchObject({ status: 'failed', failureCode: 'approval_expired', approvedAt: null });
    expect((await timeline(id)).map(({ type }) => type)).toEqual([
      'created',
      'approval_requested',
      'approval_reminder_sent',
      'approval_reminder_sent',
      'approval_expired',
    ]);
    expect((await act(id, 'approve')).error.details).toMatchObject({ reason: 'ALREADY_DECIDED' });
    const { em } = fast.runtime.context({ kind: 'system', name: 'test' });
    const mails = await em.execute<{ kind: string }[]>('select kind from mail where subject_id = ? order by id', [id]);
    expect(mails.map(({ kind }) => kind)).toEqual(['payout_approval', 'payout_approval', 'payout_approval']);
    const pending = await fast.call('GET', '/payouts/pending', { key });
    expect(pending.data).toMatchObject([{ affiliateId, pendingAmount: 10_000 }]);
    expect(await outcomeOf(workflow)).toMatchObject({ status: 'failed', reason: 'nobody approved it in time' });
    const { searchAttributes } = await workflow.describe();
    expect(searchAttributes).toMatchObject({ State: ['failed'], Reason: ['approval_expired'], AffiliateCode: [code] });
    await recordHistory(workflow, 'payoutLifecycle', 'approval-expired');
  });

  it('an approval of which the workflow never heard is found by the next reminder', async () => {
    const waiting = await makeWaiting(fast);
    await approveUnheard(fast, waiting);
    expect(await waiting.ends()).toMatchObject({ status: 'completed' });
    expect(await waiting.transfers()).toMatchObject([{ executedCount: 1 }]);
  });
});
