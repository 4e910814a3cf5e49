import { checkRun, createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { makePayees } from '../../api/payout-runs/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { mailsAbout } from '../notifications/support.ts';

const api = useTestApi();
const HOUR = 3_600_000;

const contextIn = (hours: number): Context => ({
  ...api.runtime.context({ kind: 'system', name: 'approvals' }),
  clock: { now: () => new Date(Date.now() + hours * HOUR) },
});

/** A draft that has to be approved once it is confirmed, with keys of two lines. */
const makeDraft = async (count = 2) => {
  const payees = await makePayees(api, count);
  const { key, merchantId, draft, confirm } = payees;
  const second = await makeKey(api.runtime, { ownerId: merchantId });
  await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: 1 } } });
  const run = (await draft({ name: 'March' })).data;
  const mails = async () => (await mailsAbout(api.runtime, run.id)).filter(({ kind }) => kind === 'payout_run_approval');
  const periods = async () => (await mails()).map(({ period }) => period);
  return { ...payees, second, run, wait: () => confirm(run), mails, periods };
};

const makeWaiting = async (count?: number) => {
  const own = await makeDraft(count);
  expect((await own.wait()).data.status).toBe('awaiting_approval');
  return own;
};

describe('M1: those who may approve a run', () => {
  it('are mailed when it is confirmed: what it pays to how many, and nobody by name', async () => {
    const { run, mails, wait } = await makeDraft();
    expect(await mails()).toEqual([]);
    await wait();
    expect(await mails()).toMatchObject([
      { period: '0', subject: 'Payout run awaiting your approval: 40.00 USD to 2 affiliates' },
    ]);
    const [{ text = '' } = {}] = await mails();
    for (const word of [`/console/pay/runs/${run.id}`, 'All programs', 'March', 'approve or reject it'])
      expect(text).toContain(word);
    expect(text).not.toContain('***');
  });

  it('are reminded after 24 and 72 hours, once each, until somebody decides', async () => {
    const { run, periods, act, second } = await makeWaiting();
    const settle = (hours: number) => api.runtime.applyDueApprovals(contextIn(hours));
    await settle(23.9);
    expect(await periods()).toEqual(['0']);
    await settle(24.1);
    await Promise.all([settle(24.2), settle(24.2)]);
    expect(await periods()).toEqual(['0', '1']);
    await settle(72.1);
    await settle(100);
    expect(await periods()).toEqual(['0', '1', '2']);
    expect((await act(run.id, 'approve', undefined, second.key)).data.status).toBe('running');
    const other = await makeWaiting();
    await other.act(other.run.id, 'cancel');
    await settle(24.1);
    expect(await other.periods()).toEqual(['0']);
  });

  it('get one mail for what was missed while nothing ran', async () => {
    const { periods } = await makeWaiting();
    await api.runtime.applyDueApprovals(contextIn(80));
    expect(await periods()).toEqual(['0', '2']);
  });
});

test('M4: a run and the timelines of its payouts say who approved what amount to which masked destination', async () => {
  const { key, keyId, run, act, second, affiliateId, read } = await makeWaiting(2);
  await act(run.id, 'approve', undefined, second.key);
  const clawback = { kind: 'clawback', amount: -500, note: 'Less than was approved' };
  const { data: adjustment } = await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: clawback });
  await api.call('POST', `/adjustments/${adjustment.id}/approve`, { key: second.key });
  await createRunPayouts(contextIn(0), { runId: run.id });
  const made = await read(run.id);
  const [drafter, approver] = [`key:${keyId}`, `key:${second.keyId}`];
  expect(made).toMatchObject({ createdBy: drafter, confirmedBy: drafter, approvedBy: approver });
  const [{ id: payoutId } = { id: '' }] = await rowsOf(
    api,
    'select id from payout where payout_run_id = ? and affiliate_id = ?',
    [run.id, affiliateId],
  );
  const payout = (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  expect(payout).toMatchObject({ payoutRunId: run.id, amount: 1_500, approvedBy: null });
  const timeline = (await api.call('GET', `/payouts/${payoutId}/timeline`, { key })).data;
  expect(timeline).toMatchObject([
    { type: 'created', actor: 'system:approvals', reason: 'run' },
    { type: 'approved', actor: approver, at: made.approvedAt, description: 'Approved with the run' },
  ]);
  expect(timeline[1].note).toMatch(/^20\.00 USD to (.\*\*\*@|\*{4})/);
});

test('a run that nobody approves in 7 days is cancelled, and its money stays payable', async () => {
  const { run, act, second, read, affiliateId, key, programId } = await makeWaiting();
  expect(await checkRun(contextIn(167.9), { runId: run.id })).toMatchObject({ status: 'awaiting_approval' });
  expect(await checkRun(contextIn(168), { runId: run.id })).toMatchObject({
    status: 'cancelled',
    cancelReason: 'approval_expired',
  });
  expect(await read(run.id)).toMatchObject({ status: 'cancelled', cancelReason: 'approval_expired', approvedAt: null });
  const late = await act(run.id, 'approve', undefined, second.key);
  expect(late.error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'cancelled' });
  const paid = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(paid.data).toMatchObject({ amount: 2_000 });
});

describe('SAME_ACTOR of a run', () => {
  it('for whoever took an affiliate out of it', async () => {
    const { merchantId, run, act, members, second, confirm } = await makeDraft(3);
    const editor = await makeKey(api.runtime, { ownerId: merchantId });
    // The draft is newer than the key.
    await rowsOf(api, `update api_key set created_at = created_at - interval '1 hour' where id = ?`, [editor.keyId]);
    const path = `/payout-runs/${run.id}/items/${members[0]?.affiliateId}`;
    const edited = (await api.call('DELETE', path, { key: editor.key })).data;
    expect((await confirm(edited)).data.status).toBe('awaiting_approval');
    const byEditor = await act(run.id, 'approve', undefined, editor.key);
    expect(byEditor).toMatchObject({ status: 409, error: { details: { reason: 'SAME_ACTOR', cause: 'same_line' } } });
    expect((await act(run.id, 'approve', undefined, second.key)).data.status).toBe('running');
  });

  it('for a merchant with the address of somebody who is paid, unless they were taken out', async () => {
    const { merchantId, run, act, members, second, wait } = await makeDraft(2);
    const own = (of: number) =>
      rowsOf(api, 'update merchant set email = (select email from affiliate_profile where id = ?) where id = ?', [
        members[of]?.profileId,
        merchantId,
      ]);
    await own(1);
    await wait();
    const refused = await act(run.id, 'approve', undefined, second.key);
    expect(refused).toMatchObject({ status: 409, error: { details: { reason: 'SAME_ACTOR', cause: 'is_paid' } } });
    await rowsOf(
      api,
      `update payout_run_item set result = 'left_out', reason = 'TAKEN_OUT' where affiliate_id = ? and run_id = ?`,
      [members[1]?.affiliateId, run.id],
    );
    expect((await act(run.id, 'approve', undefined, second.key)).data.status).toBe('running');
  });
});

describe('of decisions at once', () => {
  const runOf = async (id: string) =>
    (await rowsOf(api, 'select status, cancel_reason, approved_by, confirmed_by from payout_run where id = ?', [id]))[0];

  it('about a run that waits, one wins: approved and running or paused, or cancelled and never approved', async () => {
    for (let round = 0; round < 4; round++) {
      const { run, act, second } = await makeWaiting(1);
      const by = (verb: string, key?: string) => act(run.id, verb, undefined, key);
      const all = [by('approve', second.key), by('cancel'), by('pause'), by('approve', second.key), by('resume'), by('approve')];
      const answers = await Promise.all(all);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      const { status, cancel_reason, approved_by } = await runOf(run.id);
      const approver = `key:${second.keyId}`;
      if (status === 'cancelled') expect(['person', 'approval_refused']).toContain(cancel_reason);
      else expect([['running', 'paused'].includes(status), approved_by]).toEqual([true, approver]);
      if (answers[2]?.status === 200) expect(approved_by).toBe(approver);
      expect(answers[5]?.error?.details?.reason ?? 'ok').toMatch(/^(SAME_ACTOR|ILLEGAL_TRANSITION|ok)$/);
      if (approved_by !== null) expect(approved_by).toBe(approver);
    }
  });

  it('about a draft, it is confirmed once, and never after it was cancelled', async () => {
    for (let round = 0; round < 4; round++) {
      const { run, act, second, wait, periods } = await makeDraft(1);
      const answers = await Promise.all([wait(), act(run.id, 'cancel'), wait(), act(run.id, 'approve', undefined, second.key)]);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      const { status, confirmed_by } = await runOf(run.id);
      const confirmations = [answers[0], answers[2]].filter((answer) => answer?.status === 200).length;
      expect(confirmations).toBe(confirmed_by === null ? 0 : 1);
      expect(await periods()).toEqual(confirmed_by === null ? [] : ['0']);
      expect(['cancelled', 'awaiting_approval', 'running']).toContain(status);
    }
  });
});
