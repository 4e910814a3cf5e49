import { nextPayoutTurn, payoutPeriodOf } from '../../../src/domains/programs/payout-turn.steps.ts';
import { addMember, makePayees } from '../../api/payout-runs/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeKey, makeProgram } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { mailsAbout } from '../notifications/support.ts';

const api = useOwnApi();

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
  return { ...payees, own: payees.program, program: data, isDue, draftAll, runs, mails, turn };
};

it('the schedule is off by default, and switching it off takes the turn away', async () => {
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

it('a run without a confirmation confirms itself, and the approval threshold holds', async () => {
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
  expect(await other.mails()).toEqual([]);
  const asked = await rowsOf(api, 'select kind, period from mail where subject_id = ?', [run.id]);
  expect(asked).toEqual([{ kind: 'payout_run_approval', period: '0' }]);
  const own = await other.act(run.id, 'approve');
  expect(own.error.details).toEqual({ reason: 'SAME_ACTOR', cause: 'same_line' });
  expect((await other.act(run.id, 'approve', undefined, second)).data.status).toBe('running');
});

describe('SAME_ACTOR of a scheduled run', () => {
  const makeDue = async (requireConfirmation: boolean) => {
    const own = await makeScheduled({ enabled: true, requireConfirmation });
    const { key, merchantId, isDue, draftAll, runs, act } = own;
    const { key: second } = await makeKey(api.runtime, { ownerId: merchantId });
    const made = await api.call('POST', '/auth/keys', {
      key,
      body: { name: 'Same line', scopes: ['payouts:read', 'payouts:write'] },
    });
    await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: 1 } } });
    await isDue();
    await draftAll();
    const [run] = await runs();
    const approve = async (as: string) => (await act(run.id, 'approve', undefined, as)).error?.details.cause ?? 'ok';
    return { ...own, second, sameLine: made.data.value, run, approve };
  };

  it('that confirms itself: for whoever let it, and keys of their line', async () => {
    const { key, sameLine, second, run, approve } = await makeDue(false);
    expect(run.status).toBe('awaiting_approval');
    expect([await approve(key), await approve(sameLine), await approve(second)]).toEqual(['same_line', 'same_line', 'ok']);
  });

  it('that a person confirmed: for that person, and not for whoever set the schedule', async () => {
    const { key, second, run, act, approve } = await makeDue(true);
    const { id, total, items, status } = run;
    expect(status).toBe('draft');
    expect((await act(id, 'confirm', { total, items }, second)).data.status).toBe('awaiting_approval');
    expect([await approve(second), await approve(key)]).toEqual(['same_line', 'ok']);
  });
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

it('turns that would pay nobody make no run and no mail, as many as there are, and the next one that pays does', async () => {
  const { key, affiliateId, isDue, draftAll, runs, mails } = await makeScheduled({ enabled: true }, 1);
  await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { payoutsPaused: true } });
  for (let turn = 0; turn < 3; turn++) {
    await isDue();
    await draftAll();
  }
  expect([await runs(), await mails()]).toEqual([[], []]);
  await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { payoutsPaused: false } });
  await isDue();
  await draftAll();
  expect(await runs()).toMatchObject([{ status: 'draft', items: 1 }]);
  expect(await mails()).toHaveLength(1);
});

describe('B4: runs that confirm themselves', () => {
  const OWN = { enabled: true, requireConfirmation: false };
  const setThreshold = (key: string, usd: number) =>
    api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd } } });

  it('add up with those of other programs and with payouts of whoever let them', async () => {
    const { key, merchantId, draftAll, runs } = await makeScheduled(OWN);
    await makeKey(api.runtime, { ownerId: merchantId });
    await setThreshold(key, 4_000);
    const second = await makeProgram(api, key);
    await addMember(api, second);
    await api.call('PATCH', `/programs/${second.programId}`, { key, body: { autoPayouts: OWN } });
    await rowsOf(api, `update program set auto_payouts_at = now() - interval '1 minute' where merchant_id = ?`, [merchantId]);
    await Promise.all([draftAll(), draftAll()]);
    const statuses = (await runs()).map(({ status }: { status: string }) => status);
    expect(statuses.sort()).toEqual(['awaiting_approval', 'running']);
  });

  it('add up with a payout that the same actor created before', async () => {
    const { key, merchantId, own, programId, isDue, draftAll, runs } = await makeScheduled(OWN);
    await makeKey(api.runtime, { ownerId: merchantId });
    await setThreshold(key, 4_000);
    const { affiliateId } = await addMember(api, own);
    const paid = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    expect(paid.data).toMatchObject({ amount: 2_000, approvalRequiredAt: null });
    await isDue();
    await draftAll();
    expect(await runs()).toMatchObject([{ status: 'awaiting_approval', total: { usd: 2_000 } }]);
  });

  it('wait for a person when it is not known who let them', async () => {
    const { programId, isDue, draftAll, runs, mails } = await makeScheduled(OWN);
    await rowsOf(api, `update program set auto_payouts = auto_payouts - 'setBy' where id = ?`, [programId]);
    await isDue();
    await draftAll();
    expect(await runs()).toMatchObject([{ status: 'draft' }]);
    expect(await mails()).toHaveLength(1);
  });
});

describe('MN11: a turn of somebody who may no longer pay waits for confirmation, with a mail', () => {
  const selfConfirming = { autoPayouts: { enabled: true, requireConfirmation: false } };

  it.each([
    ['was revoked', 'revoked_at = now()'],
    ['has expired', `expires_at = now() - interval '1 second'`],
    ['lost the scope', `scopes = '{programs:write}'`],
  ])('whose key %s', async (_, change) => {
    const { merchantId, keyId, programId, isDue, draftAll } = await makeScheduled(selfConfirming.autoPayouts);
    const { key } = await makeKey(api.runtime, { ownerId: merchantId });
    await rowsOf(api, `update api_key set ${change} where id = ?`, [keyId]);
    await isDue();
    await draftAll();
    const { data } = await api.call('GET', '/payout-runs', { key });
    expect(data).toMatchObject([{ status: 'draft', confirmedBy: null }]);
    const [mail] = await mailsAbout(api.runtime, programId);
    expect(mail?.text).toContain('may no longer pay');
    const { data: run } = await api.call('POST', `/payout-runs/${data[0].id}/confirm`, {
      key,
      body: { total: data[0].total, items: data[0].items },
    });
    expect(run).toMatchObject({ status: 'running' });
  });

  it('and the same choice by somebody who may pay is theirs', async () => {
    const { merchantId, keyId, programId, isDue, draftAll } = await makeScheduled(selfConfirming.autoPayouts);
    const [may, mayNot] = [
      await makeKey(api.runtime, { ownerId: merchantId }),
      await makeKey(api.runtime, { ownerId: merchantId, scopes: ['programs:write', 'payouts:read'] }),
    ];
    await rowsOf(api, 'update api_key set revoked_at = now() where id = ?', [keyId]);
    const choose = (key: string) => api.call('PATCH', `/programs/${programId}`, { key, body: selfConfirming });
    expect((await choose(mayNot.key)).status).toBe(200);
    const setBy = async () =>
      (await rowsOf(api, `select auto_payouts ->> 'setBy' as by from program where id = ?`, [programId]))[0];
    expect(await setBy()).toEqual({ by: `key:${keyId}` });
    expect((await choose(may.key)).status).toBe(200);
    expect(await setBy()).toEqual({ by: `key:${may.keyId}` });
    await isDue();
    await draftAll();
    const { data } = await api.call('GET', '/payout-runs', { key: may.key });
    expect(data).toMatchObject([{ status: 'running', confirmedBy: `key:${may.keyId}` }]);
  });
});
