import { createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { makeAffiliate, makeKey, sendSale } from '../../support/factories.ts';
import { draftRun, makePayees } from '../../support/payout-runs.ts';
import { railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const SAME_LINE = { reason: 'SAME_ACTOR', cause: 'same_line' };

describe('B1: a payout of a run', () => {
  /** Drafted, edited and confirmed by three lines, approved by a fourth one, and paid by the provider. */
  const makePaid = async () => {
    api.provider.onSubmit((order) => transferOf(order, 'accepted'));
    const own = await makePayees(api, [{ amount: 10_000 }, { amount: 10_000 }]);
    const { key: drafter, merchantId, payees } = own;
    const newKey = async () => (await makeKey(api.runtime, { ownerId: merchantId })).key;
    const [editor, confirmer, approver, other] = [await newKey(), await newKey(), await newKey(), await newKey()];
    await api.call('PATCH', '/merchant', { key: drafter, body: { payoutApprovalThreshold: { usd: 2_000 } } });
    const { runId } = await draftRun(api, own);
    const removed = payees[1]?.affiliateId;
    const edited = await api.call('DELETE', `/payout-runs/${runId}/items/${removed}`, { key: editor });
    const { total, items } = edited.data;
    const act = (verb: string, key: string, body?: object) =>
      api.call('POST', `/payout-runs/${runId}/${verb}`, { key, ...(body ? { body } : {}) });
    await act('confirm', confirmer, { total, items });
    expect((await act('approve', editor)).error.details).toEqual(SAME_LINE);
    expect((await act('approve', approver)).data).toMatchObject({ status: 'running' });
    await createRunPayouts(api.runtime.context({ kind: 'system', name: 'payoutRun' }), { runId });
    const [payout] = await rowsOf(api, 'select id from payout where payout_run_id = ?', [runId]);
    const { send, report } = railSteps(api, payout.id, drafter);
    await send();
    expect(await report('paid')).toMatchObject({ status: 'completed' });
    const giveEvidence = (key: string) =>
      api.call('POST', `/payouts/${payout.id}/return`, { key, body: { note: 'The bank told us', evidence: 'Statement 12' } });
    return { drafter, editor, confirmer, other, giveEvidence };
  };

  it('comes back by evidence of nobody who drafted, edited or confirmed the run', async () => {
    const { drafter, editor, confirmer, other, giveEvidence } = await makePaid();
    for (const key of [drafter, editor, confirmer]) expect((await giveEvidence(key)).error?.details).toEqual(SAME_LINE);
    expect((await giveEvidence(other)).data).toMatchObject({ status: 'failed', failureCode: 'returned' });
  });
});

const adjust = (key: string, affiliateId: string, body: { kind: string; amount: number }) =>
  api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: { ...body, note: 'Agreed by phone' } });

describe('A2: who posted a bonus that nobody approved', () => {
  it('that actor does not approve the payout of it', async () => {
    const { key, otherKey, affiliateId, pay, act } = await makeApprovals(api, { amount: 10_000 });
    expect((await adjust(otherKey, affiliateId, { kind: 'bonus', amount: 4_000 })).data.status).toBe('booked');
    const { data: payout } = await pay(affiliateId, key);
    expect(payout).toMatchObject({ amount: 6_000, approvalRequiredAt: payout.createdAt });
    expect((await act(payout.id, 'approve', otherKey)).error?.details).toEqual(SAME_LINE);
  });

  const waitingRun = async (own: { key: string; programId: string }) => {
    const { runId, confirm } = await draftRun(api, own);
    expect((await confirm()).data.status).toBe('awaiting_approval');
    return (key: string) => api.call('POST', `/payout-runs/${runId}/approve`, { key });
  };

  it('that actor does not approve the run that pays it', async () => {
    const own = await makeApprovals(api, { amount: 10_000 });
    const third = (await makeKey(api.runtime, { ownerId: own.merchantId })).key;
    await adjust(own.otherKey, own.affiliateId, { kind: 'bonus', amount: 4_000 });
    const approve = await waitingRun(own);
    expect((await approve(own.otherKey)).error?.details).toEqual(SAME_LINE);
    expect((await approve(third)).data.status).toBe('running');
  });

  it('approves a run without the affiliate while the bonus is in a payout that may fail; once that is paid, the run does not pay it', async () => {
    const own = await makeApprovals(api, { amount: 10_000 });
    const { key, otherKey, affiliateId, program, programId, pay } = own;
    const { code } = await makeAffiliate(api.runtime, programId);
    await sendSale(api, program, { referralCode: code, amount: 50_000 });
    await adjust(otherKey, affiliateId, { kind: 'bonus', amount: 1_000 });
    const first = await waitingRun(own);
    const { data: payout } = await pay(affiliateId, key);
    expect(payout).toMatchObject({ amount: 3_000, approvalRequiredAt: null });
    const without = await first(otherKey);
    expect(without.data).toMatchObject({ status: 'running', items: 1, total: { usd: 10_000 } });
    await api.call('POST', `/payout-runs/${without.data.id}/cancel`, { key });
    const approve = await waitingRun(own);
    api.provider.onSubmit((order) => transferOf(order, 'accepted'));
    const { send, report } = railSteps(api, payout.id, key);
    await send();
    await report('paid');
    expect((await approve(otherKey)).data.status).toBe('running');
  });

  it('approves a run in spite of a deduction, a bonus that was approved, and one after the draft', async () => {
    const own = await makeApprovals(api, { amount: 50_000 });
    const { key, otherKey, affiliateId, decide } = own;
    await adjust(otherKey, affiliateId, { kind: 'clawback', amount: -100 });
    const { data: bonus } = await adjust(otherKey, affiliateId, { kind: 'bonus', amount: 6_000 });
    expect((await decide(bonus.id, 'approve', key)).data.status).toBe('booked');
    const approve = await waitingRun(own);
    await adjust(otherKey, affiliateId, { kind: 'bonus', amount: 200 });
    expect((await approve(otherKey)).data.status).toBe('running');
  });
});
