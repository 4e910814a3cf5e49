import { runAudit } from '../../../src/audit/index.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { NEVER_RECEIVED } from '../../support/provider.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const NOTE = 'The bank told us';
const EVIDENCE = 'Statement 12, line 4';

beforeEach(() => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  api.provider.onLookUp(() => NEVER_RECEIVED);
});

afterEach(async () => {
  const { findings } = await runAudit({ ctx: api.runtime.context({ kind: 'system', name: 'test' }) });
  expect(findings).toEqual([]);
});

const paidManually = async () => {
  const payout = await makeManualPayout(api);
  await payout.act('process');
  await payout.act('complete');
  return payout;
};

const paidByRail = async () => {
  const payout = await payByRail(api);
  await payout.send();
  await payout.report('paid');
  return payout;
};

const balanceOf = async ({ affiliateId }: { affiliateId: string }) =>
  (
    await rowsOf(api, 'select payable::int, in_payout::int, paid::int from ledger_balance where affiliate_id = ?', [affiliateId])
  )[0];

const PAID = { payable: 0, in_payout: 0, paid: 2000 };
const BACK = { payable: 2000, in_payout: 0, paid: 0 };

const startsOf = ({ payoutId }: { payoutId: string }) =>
  rowsOf(
    api,
    `select topic, suffix, payload ->> 'cause' as cause from outbox where topic like 'payout.correction%' and subject_id = ?`,
    [payoutId],
  );

it('MO3: a manual transfer that bounced is returned: its money is payable again, and a correction says so', async () => {
  const payout = await paidManually();
  const body = { note: NOTE, occurredAt: new Date().toISOString(), bankReference: 'R 17' };
  const { status, data } = await payout.act('return', body);
  expect([status, data.status, data.failureCode]).toEqual([200, 'failed', 'returned']);
  expect(await balanceOf(payout)).toEqual(BACK);
  expect(await startsOf(payout)).toEqual([{ topic: 'payout.correction', suffix: '/correction/1', cause: 'reported_return' }]);
  const timeline = await api.call('GET', `/payouts/${payout.payoutId}/timeline`, { key: payout.key });
  expect(timeline.data.at(-1)).toMatchObject({
    type: 'marked_returned',
    from: 'completed',
    to: 'failed',
    note: NOTE,
    railReference: 'R 17',
  });
  const again = await payout.act('return', body);
  expect([again.status, again.error.details]).toEqual([409, { reason: 'ILLEGAL_TRANSITION', from: 'failed', to: 'failed' }]);
});

it('MO3: of several returns at once, one wins', async () => {
  const payout = await paidManually();
  const answers = await Promise.all([1, 2, 3, 4].map(() => payout.act('return', { note: NOTE })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await balanceOf(payout)).toEqual(BACK);
});

it('409 ILLEGAL_TRANSITION for a payout that was not paid', async () => {
  const payout = await makeManualPayout(api);
  const { error } = await payout.act('return', { note: NOTE });
  expect(error.details).toEqual({ reason: 'ILLEGAL_TRANSITION', from: 'pending', to: 'failed' });
});

it('MO3: on another rail nothing is booked before the provider confirms it', async () => {
  const payout = await paidByRail();
  expect((await payout.act('return', { note: NOTE })).data).toMatchObject({ status: 'completed' });
  expect(await balanceOf(payout)).toEqual(PAID);
  api.provider.onLookUp(() => transferOf(payout.order, 'returned', { failureCode: 'account_closed' }));
  expect(await payout.askAboutReturn()).toMatchObject({ status: 'booked', to: 'failed' });
  expect(await payout.read()).toMatchObject({ status: 'failed', failureCode: 'returned', railReason: 'account_closed' });
  expect(await payout.askAboutReturn()).toMatchObject({ status: 'booked' });
  await payout.notify('returned', { failureCode: 'account_closed' });
  expect(await payout.corrections()).toHaveLength(1);
  expect(await balanceOf(payout)).toEqual(BACK);
});

it.each([
  ['still paid', () => ({ status: 200, state: 'paid' })],
  ['unreachable', () => ({ status: 500, state: '' })],
] as const)('MO3: while the provider says %s, a person has to give evidence', async (_name, answer) => {
  const payout = await paidByRail();
  await payout.act('return', { note: NOTE });
  const { status, state } = answer();
  api.provider.onLookUp(() => (status === 200 ? transferOf(payout.order, state) : { status, body: {} }));
  expect(await payout.askAboutReturn()).toMatchObject({ status: 'open', needsAttention: true });
  expect(await payout.read()).toMatchObject({ status: 'completed', needsAttention: true, reviewReason: 'return_unconfirmed' });
  expect(await balanceOf(payout)).toEqual(PAID);
  const repeated = await payout.act('return', { note: NOTE });
  expect(repeated.error.details).toEqual({ reason: 'RETURN_REPORTED', since: expect.any(String) });
  await rowsOf(api, 'delete from outbox');
  const proven = await payout.act('return', { note: NOTE, evidence: EVIDENCE });
  expect(proven.data).toMatchObject({ status: 'failed', failureCode: 'returned', needsAttention: false });
  expect(await startsOf(payout)).toMatchObject([{ topic: 'payout.correction_changed', suffix: '/correction/1' }]);
  expect(await payout.askAboutReturn()).toMatchObject({ status: 'booked' });
  expect(await balanceOf(payout)).toEqual(BACK);
});

it('MO3: the provider returns the money while a person reports the same: it is booked once', async () => {
  const payout = await paidByRail();
  await payout.act('return', { note: NOTE });
  await payout.notify('returned', { failureCode: 'account_closed' });
  expect(await payout.bookReturn()).toMatchObject({ status: 'booked', reason: 'account_closed' });
  expect(await payout.corrections()).toMatchObject([{ n: 1, cause: 'reported_return', status: 'booked' }]);
  expect(await balanceOf(payout)).toEqual(BACK);
});

it('MO3: a report that was wrong is withdrawn', async () => {
  const payout = await paidByRail();
  await payout.act('return', { note: NOTE });
  api.provider.onLookUp(() => transferOf(payout.order, 'paid'));
  await payout.askAboutReturn();
  expect((await payout.act('resolve', { outcome: 'not_paid', note: NOTE })).error.details.reason).toBe('NOTHING_TO_RESOLVE');
  expect((await payout.act('resolve', { outcome: 'paid', note: NOTE })).data).toMatchObject({
    status: 'completed',
    needsAttention: false,
  });
  expect(await payout.askAboutReturn()).toMatchObject({ status: 'withdrawn', to: null });
  expect(await balanceOf(payout)).toEqual(PAID);
  expect((await payout.act('return', { note: NOTE, evidence: EVIDENCE })).data).toMatchObject({ status: 'failed' });
  expect(await payout.corrections()).toMatchObject([{ status: 'withdrawn' }, { n: 2, status: 'booked' }]);
});

it('MO3: a provider that reports a payment as paid after its return was proven contradicts it', async () => {
  const payout = await paidByRail();
  await payout.act('return', { note: NOTE, evidence: EVIDENCE });
  await payout.notify('paid', { occurredAt: new Date(Date.now() - 3_600_000) });
  expect(await payout.read()).toMatchObject({ status: 'failed', needsAttention: false });
  await payout.notify('paid', { occurredAt: new Date(Date.now() + 1_000) });
  expect(await payout.read()).toMatchObject({ status: 'failed', reviewReason: 'contradiction' });
  expect((await payout.act('return', { note: NOTE, evidence: EVIDENCE })).error.details.reason).toBe('ILLEGAL_TRANSITION');
  expect((await payout.act('resolve', { outcome: 'paid', note: NOTE })).data).toMatchObject({
    status: 'completed',
    failureCode: null,
  });
  expect(await balanceOf(payout)).toEqual(PAID);
  expect(await payout.corrections()).toMatchObject([
    { cause: 'reported_return', from_status: 'completed', to_status: 'failed' },
    { cause: 'resolution', contradiction: 1, from_status: 'failed', to_status: 'completed' },
  ]);
});

it.each([
  ['paid', 'return_unconfirmed', 'open'],
  ['not_paid', null, 'withdrawn'],
] as const)('MO3: a contradiction that is resolved as %s during a report', async (outcome, reviewReason, status) => {
  const payout = await paidByRail();
  await payout.act('return', { note: NOTE });
  await payout.notify('failed');
  expect((await payout.act('return', { note: NOTE, evidence: EVIDENCE })).error.details.reason).toBe('UNRESOLVED_PAYOUT');
  expect((await payout.act('resolve', { outcome, note: NOTE })).data).toMatchObject({ reviewReason });
  expect((await payout.corrections())[0]).toMatchObject({ cause: 'reported_return', status });
  expect(await balanceOf(payout)).toEqual(outcome === 'paid' ? PAID : BACK);
});

it('422 without a note, with a time in the future or with an unknown field; 403 and 404 for payouts of others', async () => {
  const payout = await paidManually();
  const future = new Date(Date.now() + 2 * 86_400_000).toISOString();
  for (const body of [{}, { note: '' }, { note: null }, { note: NOTE, occurredAt: future }, { note: NOTE, amount: 1 }])
    expect((await payout.act('return', body)).status).toBe(422);
  expect(await balanceOf(payout)).toEqual(PAID);
  const { key, merchantId } = await makeMerchant(api.runtime);
  expect((await api.call('POST', `/payouts/${payout.payoutId}/return`, { key, body: { note: NOTE } })).status).toBe(403);
  expect((await api.call('POST', `/payouts/${merchantId}/return`, { key, body: { note: NOTE } })).status).toBe(404);
});

describe('MO1: where a second actor approves', () => {
  const setThreshold = (key: string, usd: number) =>
    api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd } } });

  it('evidence is given by another actor than the one that paid', async () => {
    const payout = await paidByRail();
    const second = await makeKey(api.runtime, { ownerId: payout.merchantId });
    await rowsOf(api, `update api_key set created_at = created_at - interval '1 hour' where id = ? returning id`, [second.keyId]);
    expect((await setThreshold(payout.key, 5_000)).status).toBe(200);
    const body = { note: NOTE, evidence: EVIDENCE };
    expect((await payout.act('return', body)).error.details).toEqual({ reason: 'SAME_ACTOR', cause: 'same_line' });
    expect(await balanceOf(payout)).toEqual(PAID);
    const byOther = await api.call('POST', `/payouts/${payout.payoutId}/return`, { key: second.key, body });
    expect([byOther.status, byOther.data.failureCode]).toEqual([200, 'returned']);
    expect(await balanceOf(payout)).toEqual(BACK);
  });

  it('what was paid counts for the threshold after it came back', async () => {
    const payout = await makeManualPayout(api);
    await makeKey(api.runtime, { ownerId: payout.merchantId });
    expect((await setThreshold(payout.key, 3_000)).status).toBe(200);
    for (const verb of ['process', 'complete']) await payout.act(verb);
    await payout.act('return', { note: NOTE });
    const { data: retry } = await payout.act('retry');
    expect(retry).toMatchObject({ retryOf: payout.payoutId, approvalRequiredAt: retry.createdAt });
  });
});
