import { nextPayoutTurn, payoutPeriodOf } from '../../../src/domains/programs/payout-turn.ts';
import { makePayees } from '../../api/payout-runs/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi();

describe('the next turn is at 09:00 local time', () => {
  it.each([
    ['monthly', 'Europe/Berlin', '2026-01-31T23:30:00Z', '2026-02-01T08:00:00Z', '2026-02'],
    ['monthly', 'Europe/Berlin', '2026-02-01T08:00:00Z', '2026-03-01T08:00:00Z', '2026-03'],
    ['monthly', 'America/New_York', '2026-03-02T00:00:00Z', '2026-04-01T13:00:00Z', '2026-04'],
    ['weekly', 'UTC', '2026-01-05T08:59:59Z', '2026-01-05T09:00:00Z', '2026-W02'],
    ['weekly', 'Asia/Tokyo', '2026-12-28T01:00:00Z', '2027-01-04T00:00:00Z', '2027-W01'],
    ['quarterly', 'no/zone', '2026-11-11T11:11:00Z', '2027-01-01T09:00:00Z', '2027-Q1'],
  ] as const)('%s in %s after %s: %s', (frequency, timeZone, time, turn, period) => {
    const calendar = { frequency, timeZone };
    expect(nextPayoutTurn(new Date(time), calendar)).toEqual(new Date(turn));
    expect(payoutPeriodOf(new Date(turn), calendar)).toBe(period);
  });
});

const makeScheduled = async (autoPayouts: object, count = 1) => {
  const payees = await makePayees(api, count);
  const { key, programId } = payees;
  const { data } = await api.call('PATCH', `/programs/${programId}`, { key, body: { autoPayouts } });
  const isDue = () =>
    rowsOf(api, `update program set auto_payouts_at = now() - interval '1 minute' where id = ? returning id`, [programId]);
  const draftAll = () => api.runtime.draftScheduledRuns(api.runtime.context({ kind: 'system', name: 'payoutSchedule' }));
  const runs = async () => (await api.call('GET', '/payout-runs', { key })).data;
  const mails = () => rowsOf(api, `select period from mail where kind = 'payout_run_scheduled' and subject_id = ?`, [programId]);
  const turn = async () => {
    const [row] = await rowsOf(api, 'select auto_payouts_at from program where id = ?', [programId]);
    return row?.['auto_payouts_at'];
  };
  return { ...payees, program: data, isDue, draftAll, runs, mails, turn };
};

it('is off by default, and switching it off takes the turn away', async () => {
  const { key, programId, program, turn, draftAll, runs } = await makeScheduled({ enabled: true });
  expect(program.autoPayouts).toEqual({ enabled: true, requireConfirmation: true });
  expect(await turn()).not.toBeNull();
  await draftAll();
  expect(await runs()).toEqual([]);
  await api.call('PATCH', `/programs/${programId}`, {
    key,
    body: { autoPayouts: { enabled: true, requireConfirmation: false } },
  });
  const { data: off } = await api.call('PATCH', `/programs/${programId}`, { key, body: { autoPayouts: { enabled: false } } });
  expect(off.autoPayouts).toEqual({ enabled: false, requireConfirmation: false });
  expect(await turn()).toBeNull();
  for (const autoPayouts of [true, null, {}, { enabled: 'yes' }, { enabled: true, hour: 9 }])
    expect((await api.call('PATCH', `/programs/${programId}`, { key, body: { autoPayouts } })).status).toBe(422);
});

it('drafts one run for a period, whoever takes the turn, and waits for the merchant, who gets a mail', async () => {
  const { programId, isDue, draftAll, runs, mails, turn } = await makeScheduled({ enabled: true }, 2);
  await isDue();
  await Promise.all([draftAll(), draftAll()]);
  const drafted = await runs();
  expect(drafted).toMatchObject([{ programId, status: 'draft', items: 2, total: { usd: 4_000 } }]);
  expect(await mails()).toHaveLength(1);
  expect(new Date(String(await turn())).getTime()).toBeGreaterThan(Date.now());
  await isDue();
  await draftAll();
  expect(await runs()).toHaveLength(1);
  expect(await mails()).toHaveLength(1);
});

it('without a confirmation it confirms itself, and the approval threshold holds', async () => {
  const { isDue, draftAll, runs, mails } = await makeScheduled({ enabled: true, requireConfirmation: false });
  await isDue();
  await draftAll();
  expect(await runs()).toMatchObject([{ status: 'running', confirmedAt: expect.any(String) }]);
  expect(await mails()).toEqual([]);
  const other = await makeScheduled({ enabled: true, requireConfirmation: false });
  const { key: second } = await makeKey(api.runtime, { ownerId: other.merchantId });
  await api.call('PATCH', '/merchant', { key: other.key, body: { payoutApprovalThreshold: { usd: 1 } } });
  await other.isDue();
  await other.draftAll();
  const [run] = await other.runs();
  expect(run.status).toBe('awaiting_approval');
  expect(await other.mails()).toHaveLength(1);
  const own = await other.act(run.id, 'approve');
  expect(own.error.details).toEqual({ reason: 'SAME_ACTOR', cause: 'same_line' });
  expect((await other.act(run.id, 'approve', undefined, second)).data.status).toBe('running');
});

it('stays a draft above the daily limit, and says so', async () => {
  const { key, isDue, draftAll, runs, mails } = await makeScheduled({ enabled: true, requireConfirmation: false });
  await api.call('PATCH', '/merchant', { key, body: { payoutDailyLimit: { usd: 1_999 } } });
  await isDue();
  await draftAll();
  expect(await runs()).toMatchObject([{ status: 'draft' }]);
  expect(await mails()).toHaveLength(1);
});

it('leaves a turn out while another run is open, and says so; nothing to pay is no run and no mail', async () => {
  const { isDue, draft, draftAll, runs, mails, turn } = await makeScheduled({ enabled: true });
  await draft();
  await isDue();
  await draftAll();
  expect(await runs()).toHaveLength(1);
  expect(await mails()).toHaveLength(1);
  expect(new Date(String(await turn())).getTime()).toBeGreaterThan(Date.now());
  const idle = await makeScheduled({ enabled: true });
  await api.call('POST', `/affiliates/${idle.affiliateId}/block`, { key: idle.key });
  await idle.isDue();
  await idle.draftAll();
  expect([await idle.runs(), await idle.mails()]).toEqual([[], []]);
});
