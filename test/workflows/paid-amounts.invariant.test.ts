import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { NOTE, paidPayouts } from '../support/paid-payouts.ts';
import { FAST_TIMING, useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem({
  timing: { ...FAST_TIMING, remindAfterMs: [] },
  sandbox: { returnMs: 300 },
  reconcile: { everyMs: 200, graceMs: 0 },
});
const { em, handleOf, bySandbox, byHand, contradict, stateOf, shows, reset, copy, timelineOf, sumOfList } = paidPayouts(system);

interface Made {
  merchantId: string;
  key: string;
  payoutId: string;
}

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
    `the list shows ${totalPaid} as paid`,
    () => sumOfList(`MerchantId = "${merchantId}"`),
    (sum) => sum === totalPaid,
  );
};

/** The reconciler noticed that a run was terminated. */
const isNoted = (payoutId: string) =>
  until(
    'the terminated run is on the timeline',
    () => timelineOf(payoutId),
    (types) => types.includes('workflow_terminated'),
  );

it('FI1: the sum of PaidAmount is what the API and the ledger say was paid', async () => {
  const made: Made[] = [];
  const remember = <T extends Made>(payout: T): T => {
    made.push(payout);
    return payout;
  };
  await remember(await bySandbox('ok')).ends('completed');
  await remember(await bySandbox('fail-definite')).ends('failed');
  await until(
    'the payout is returned',
    remember(await bySandbox('returned')).read,
    ({ failureCode }) => failureCode === 'returned',
  );
  remember(await byHand(['process', 'complete']));
  remember(await byHand(['process', 'complete', 'return']));
  remember(await byHand(['process', 'fail']));
  remember(await byHand(['cancel']));
  const evident = remember(await bySandbox('ok'));
  await evident.ends('completed');
  expect((await evident.act('return', { ...NOTE, evidence: 'Statement 12' })).status).toBe(200);
  for (const [recorded, reported, outcome] of [
    ['paid', 'failed', 'not_paid'],
    ['paid', 'failed', 'paid'],
    ['failed', 'paid', 'paid'],
    ['failed', 'paid', 'not_paid'],
  ] as const) {
    const payout = remember(await byHand(['process', recorded === 'paid' ? 'complete' : 'fail']));
    await contradict(payout.payoutId, recorded, reported);
    expect((await payout.act('resolve', { ...NOTE, outcome })).status).toBe(200);
  }
  for (const payout of made) await agree(payout);
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it('FI1: money is paid and comes back at the same time in the list, the API and the ledger', async () => {
  const { payoutId, read } = await byHand(['process', 'complete', 'return']);
  const paidAtOf = async (id: string, state: string) => {
    await shows(id, state);
    return (await handleOf(id).describe()).searchAttributes['PaidAt']?.[0];
  };
  const { completedAt, failedAt } = await read();
  const booked = await em().execute(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from ledger_entry
      where reference_id = ? and account = 'paid' order by id`,
    [payoutId],
  );
  expect(booked.map(({ at }) => at)).toEqual([completedAt, failedAt]);
  expect(await paidAtOf(payoutId, 'paid')).toEqual(new Date(completedAt));
  expect(await paidAtOf(`${payoutId}/correction/1`, 'returned')).toEqual(new Date(failedAt));
});

it('FI11: a payout that was reset after its end is counted once, and its timeline says so', async () => {
  const payout = await bySandbox('ok');
  await payout.ends('completed');
  await shows(payout.payoutId, 'paid');
  await handleOf(payout.payoutId, await reset(payout.payoutId)).result();
  expect(await stateOf(payout.payoutId)).toBe('superseded');
  expect(await timelineOf(payout.payoutId)).toContain('workflow_superseded');
  await agree(payout);
});

it.each(['first task', 'last task'] as const)(
  'FI11: a payout by hand that was reset to its %s after its end is counted once',
  async (task) => {
    const payout = await byHand(['process', 'complete']);
    await shows(payout.payoutId, 'paid');
    const { runId } = await handleOf(payout.payoutId).describe();
    await handleOf(payout.payoutId, runId).result();
    const again = await reset(payout.payoutId, task);
    await handleOf(payout.payoutId, again).result();
    expect(await stateOf(payout.payoutId)).toBe('superseded');
    await agree(payout);
    await handleOf(payout.payoutId, await reset(payout.payoutId, task)).result();
    await agree(payout);
  },
);

it('FI11: a run that is reset while it waits goes on as the one that shows the payout', async () => {
  const payout = await byHand(['process']);
  await shows(payout.payoutId, 'to_pay');
  await reset(payout.payoutId);
  await payout.act('complete', NOTE);
  await shows(payout.payoutId, 'paid');
  await isNoted(payout.payoutId);
  await agree(payout);
});

it('FI11: a copy sends nothing and counts nothing, before the end of its payout and after it', async () => {
  const payout = await byHand(['process']);
  await shows(payout.payoutId, 'to_pay');
  expect(await (await copy(payout.payoutId)).result()).toMatchObject({ status: 'superseded' });
  expect(await timelineOf(payout.payoutId)).toContain('workflow_superseded');
  await payout.act('complete', NOTE);
  await shows(payout.payoutId, 'paid');
  await agree(payout);
  expect(await (await copy(payout.payoutId)).result()).toMatchObject({ status: 'superseded' });
  await agree(payout);
});

it.each(['before', 'after'])('FI11: a payout whose run was terminated %s its end is shown by another one', async (when) => {
  const payout = await byHand(['process']);
  await shows(payout.payoutId, 'to_pay');
  if (when === 'after') await payout.act('complete', NOTE);
  if (when === 'after') await shows(payout.payoutId, 'paid');
  await handleOf(payout.payoutId)
    .terminate('test')
    .catch(() => {});
  if (when === 'before') await payout.act('complete', NOTE);
  await shows(payout.payoutId, 'paid');
  await agree(payout);
});

it('FI11: a correction that is terminated before it is booked, or reset after its end, is counted once', async () => {
  const payout = await bySandbox('ok');
  const correction = `${payout.payoutId}/correction/1`;
  await payout.ends('completed');
  await payout.act('return', NOTE);
  await shows(correction, 'to_decide');
  const { runId } = await handleOf(correction).describe();
  await handleOf(correction, runId).terminate('test');
  await isNoted(payout.payoutId);
  await payout.act('return', { ...NOTE, evidence: 'Statement 12' });
  await shows(correction, 'returned');
  expect((await handleOf(correction).describe()).runId).not.toBe(runId);
  await agree(payout);
  await handleOf(correction, await reset(correction)).result();
  expect(await stateOf(correction)).toBe('superseded');
  await agree(payout);
});
