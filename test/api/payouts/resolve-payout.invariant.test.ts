import { runAudit } from '../../../src/audit/index.ts';
import { makeKey, makeMerchant, sendRefund, sendSale } from '../../support/factories.ts';
import { NEVER_RECEIVED, providerError } from '../../support/provider.ts';
import { payByRail, type RailPayout, railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const NOTE = 'The bank told us';

beforeEach(() => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  api.provider.onLookUp(() => NEVER_RECEIVED);
});

afterEach(async () => {
  const { findings } = await runAudit({ ctx: api.runtime.context({ kind: 'system', name: 'test' }) });
  expect(findings).toEqual([]);
});

const reported = async (...statuses: ('paid' | 'failed')[]): Promise<RailPayout> => {
  const payout = await payByRail(api);
  await payout.send();
  for (const status of statuses) await payout.report(status);
  expect(await payout.read()).toMatchObject({ needsAttention: true, reviewReason: 'contradiction' });
  return payout;
};

const newPayout = ({ key, affiliateId, programId }: RailPayout) =>
  api.call('POST', '/payouts', { key, body: { affiliateId, programId } });

const balanceOf = async ({ affiliateId }: RailPayout) => {
  const [row] = await rowsOf(api, 'select payable::int, in_payout::int, paid::int from ledger_balance where affiliate_id = ?', [
    affiliateId,
  ]);
  return row;
};

const eventsOf = async ({ payoutId }: RailPayout) =>
  (
    await rowsOf(
      api,
      `select type, convert_from(body, 'UTF8')::jsonb #> '{data,resolved}' as resolved from webhook_event
       where convert_from(body, 'UTF8')::jsonb #>> '{data,id}' = ? order by id`,
      [payoutId],
    )
  ).map(({ type, resolved }) => `${type}${resolved ? ' resolved' : ''}`);

it('W2: paid after failed books nothing, and nothing else is paid to the affiliate until a person resolved it', async () => {
  const payout = await reported('failed', 'paid');
  expect(await balanceOf(payout)).toEqual({ payable: 2000, in_payout: 0, paid: 0 });
  expect((await payout.timeline()).at(-1)).toMatchObject({ type: 'contradiction_detected', outcome: 'paid' });
  for (const refused of [await newPayout(payout), await payout.act('retry')]) {
    expect([refused.status, refused.error.details]).toEqual([409, { reason: 'UNRESOLVED_PAYOUT', payoutId: payout.payoutId }]);
  }
  const resolved = await payout.act('resolve', { outcome: 'paid', note: NOTE });
  expect(resolved.data).toMatchObject({ status: 'completed', failureCode: null, failedAt: null, needsAttention: false });
  expect(await balanceOf(payout)).toEqual({ payable: 0, in_payout: 0, paid: 2000 });
  expect((await eventsOf(payout)).slice(-3)).toEqual(['payout.failed', 'payout.needs_attention', 'payout.completed resolved']);
  expect((await newPayout(payout)).error.details.reason).toBe('NOTHING_PAYABLE');
});

it('W2: a payment of an order that the provider had rejected is found by its id there', async () => {
  api.provider.onSubmit(() => providerError(422, 'account_closed'));
  const payout = await payByRail(api);
  expect(await payout.send()).toMatchObject({ status: 'failed', reference: null });
  await payout.report('paid', { transferId: 'trf_7' });
  expect((await payout.act('resolve', { outcome: 'paid', note: NOTE })).data.status).toBe('completed');
  expect(await payout.load()).toMatchObject({ reference: 'trf_7' });
  const found = await api.call('GET', '/payouts?reference=trf_7', { key: payout.key });
  expect(found.data).toMatchObject([{ id: payout.payoutId, status: 'completed' }]);
});

it('a payout that is pending when the contradiction comes is told that it is on hold', async () => {
  const payout = await payByRail(api);
  await payout.send();
  await payout.report('failed');
  const pending = await newPayout(payout);
  await payout.report('paid');
  const signalled = await rowsOf(
    api,
    `select payload -> 'snapshot' ->> 'onHold' as held from outbox where topic = 'payout.changed' and subject_id = ?`,
    [pending.data.id],
  );
  expect(signalled).toEqual([{ held: 'unresolved_contradiction' }]);
});

it('W2: failed after paid, resolved as not paid, makes the money payable again', async () => {
  const payout = await reported('paid', 'failed');
  expect(await payout.read()).toMatchObject({ status: 'completed' });
  const resolved = await payout.act('resolve', { outcome: 'not_paid', note: NOTE });
  expect(resolved.data).toMatchObject({ status: 'failed', failureCode: 'resolved_not_paid', needsAttention: false });
  expect(await balanceOf(payout)).toEqual({ payable: 2000, in_payout: 0, paid: 0 });
  expect((await eventsOf(payout)).slice(-3)).toEqual(['payout.completed', 'payout.needs_attention', 'payout.failed resolved']);
  expect((await newPayout(payout)).status).toBe(201);
});

it.each([
  ['paid', 'failed', 'paid'],
  ['failed', 'paid', 'not_paid'],
] as const)('W2: %s, then %s, resolved as %s: the record was right and only the review ends', async (first, second, outcome) => {
  const payout = await reported(first, second);
  const { status } = await payout.read();
  const resolved = await payout.act('resolve', { outcome, note: NOTE });
  expect(resolved.data).toMatchObject({ status, needsAttention: false, reviewReason: null });
  expect((await payout.timeline()).at(-1)).toMatchObject({ type: 'contradiction_resolved', reason: outcome, note: NOTE });
  expect((await payout.act('resolve', { outcome, note: NOTE })).error.details.reason).toBe('NOTHING_TO_RESOLVE');
  const [row] = await rowsOf(api, 'select * from payout_contradiction where payout_id = ?', [payout.payoutId]);
  expect(row).toMatchObject({ n: 1, recorded: first, reported: second, resolution: outcome, note: NOTE });
});

it('W2: the items of the failed payout stand in a newer one: what was paid twice is deducted from the next', async () => {
  const payout = await payByRail(api);
  await payout.send();
  await payout.report('failed');
  const newer = await newPayout(payout);
  const waiting = railSteps(api, newer.data.id, payout.key);
  await payout.report('paid');
  expect(await waiting.send()).toMatchObject({ status: 'pending', attemptId: null, onHold: 'unresolved_contradiction' });
  await rowsOf(api, 'delete from outbox');
  await payout.act('resolve', { outcome: 'paid', note: NOTE });
  const signals = await rowsOf(api, "select topic, subject_id from outbox where topic like 'payout.%' order by seq");
  expect(signals.map(({ topic }) => topic)).toEqual(['payout.correction', 'payout.contradiction_resolved', 'payout.changed']);
  expect(signals[2].subject_id).toBe(newer.data.id);
  expect(await balanceOf(payout)).toEqual({ payable: -2000, in_payout: 2000, paid: 2000 });
  await waiting.send();
  await waiting.report('paid');
  await sendSale(api, payout.program, { amount: 25_000, referralCode: payout.code });
  expect((await newPayout(payout)).data).toMatchObject({ amount: 3000 });
});

it('W2: a person who finds out that a payment never arrived overrules the provider in the audit too', async () => {
  const payout = await reported('failed', 'paid');
  await payout.act('resolve', { outcome: 'not_paid', note: NOTE });
  const [order] = api.provider.orders.slice(-1);
  const at = new Date().toISOString();
  const transfer = { ...transferOf(order ?? payout.order, 'paid').body, executedCount: 1, createdAt: at, updatedAt: at };
  const provider = { rail: 'sandbox', list: async () => [transfer] } as const;
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const { findings } = await runAudit({ ctx, provider });
  expect(findings.filter(({ subject }) => subject === `payout ${payout.payoutId}`)).toEqual([]);
});

it('W2: paid twice, then returned: the deduction ends with the payment', async () => {
  const payout = await reported('failed', 'paid');
  await sendRefund(api, payout.program, { saleId: payout.saleId, amount: 5_000 });
  await payout.act('resolve', { outcome: 'paid', note: NOTE });
  expect(await balanceOf(payout)).toEqual({ payable: -1000, in_payout: 0, paid: 2000 });
  await payout.notify('returned', { failureCode: 'account_closed' });
  expect(await payout.bookReturn()).toMatchObject({ status: 'booked', from: 'completed', to: 'failed' });
  expect(await balanceOf(payout)).toEqual({ payable: 1000, in_payout: 0, paid: 0 });
  expect((await newPayout(payout)).data).toMatchObject({ amount: 1000 });
});

it.each([
  ['failed', 'paid', 'returned'],
  ['failed', 'returned', 'paid'],
] as const)(
  'a return reported while %s is recorded (%s, then %s) is booked once the payout is resolved as paid',
  async (...statuses) => {
    const payout = await payByRail(api);
    await payout.send();
    for (const status of statuses) await payout.report(status);
    expect(await payout.read()).toMatchObject({ status: 'failed', reviewReason: 'contradiction' });
    await rowsOf(api, 'delete from outbox');
    expect((await payout.act('resolve', { outcome: 'paid', note: NOTE })).data).toMatchObject({ status: 'completed' });
    const topics = await rowsOf(api, 'select topic from outbox');
    expect(topics.map(({ topic }) => topic)).toContain('payout.correction');
    expect(await payout.bookReturn()).toMatchObject({ status: 'booked', from: 'completed', to: 'failed' });
    expect(await balanceOf(payout)).toEqual({ payable: 2000, in_payout: 0, paid: 0 });
    expect((await newPayout(payout)).data).toMatchObject({ amount: 2000 });
  },
);

it.each(['paid', 'not_paid'])('a payment returned before its contradiction is resolved as %s stays returned', async (outcome) => {
  const payout = await reported('paid', 'failed');
  await payout.notify('returned', { failureCode: 'account_closed' });
  expect(await payout.bookReturn()).toMatchObject({ status: 'booked', from: 'completed', to: 'failed' });
  const resolved = await payout.act('resolve', { outcome, note: NOTE });
  expect(resolved.data).toMatchObject({ status: 'failed', failureCode: 'returned', needsAttention: false });
  expect(await balanceOf(payout)).toEqual({ payable: 2000, in_payout: 0, paid: 0 });
  expect((await newPayout(payout)).data).toMatchObject({ amount: 2000 });
});

it('W2: a provider that contradicts itself again opens the next contradiction', async () => {
  const payout = await reported('failed', 'paid');
  await payout.notify('paid');
  await payout.act('resolve', { outcome: 'paid', note: NOTE });
  await payout.notify('failed');
  expect(await payout.read()).toMatchObject({ status: 'completed', needsAttention: true });
  await payout.act('resolve', { outcome: 'not_paid', note: NOTE });
  const found = await rowsOf(api, 'select n, resolution from payout_contradiction where payout_id = ? order by n', [
    payout.payoutId,
  ]);
  expect(found).toEqual([
    { n: 1, resolution: 'paid' },
    { n: 2, resolution: 'not_paid' },
  ]);
  expect(await balanceOf(payout)).toEqual({ payable: 2000, in_payout: 0, paid: 0 });
});

/** A person has to decide about it: the provider's record differs from the order. */
const differing = async () => {
  const payout = await payByRail(api);
  api.provider.onSubmit(() => ({ status: 500, body: {} }));
  await payout.send();
  api.provider.onLookUp(() => transferOf({ ...payout.order, amount: 1 }, 'paid'));
  await payout.lookUp();
  return payout;
};

it('W2: a person decided during a look-up, and the look-up says the opposite', async () => {
  const payout = await differing();
  api.provider.onLookUp(async () => {
    expect((await payout.act('fail', { note: NOTE })).data.status).toBe('failed');
    return transferOf(payout.order, 'paid');
  });
  expect(await payout.lookUp()).toMatchObject({ status: 'failed', needsAttention: true, reviewReason: 'contradiction' });
});

it('W2: a provider that takes an order which a person has failed holds up new payouts', async () => {
  const payout = await differing();
  await payout.act('fail', { note: NOTE });
  await payout.notify('accepted');
  expect(await payout.read()).toMatchObject({ status: 'failed', needsAttention: true, reviewReason: 'contradiction' });
  expect((await newPayout(payout)).error.details.reason).toBe('UNRESOLVED_PAYOUT');
});

it('W2: who resolves a contradiction with "accepted" is told once that the provider has paid since', async () => {
  const payout = await differing();
  await payout.act('fail', { note: NOTE });
  for (const status of ['accepted', 'paid', 'paid'] as const) await payout.notify(status);
  const told = (await payout.timeline()).filter(({ type }) => type === 'contradiction_detected');
  expect(told.map(({ outcome }) => outcome)).toEqual(['accepted', 'paid']);
  expect(await rowsOf(api, 'select n, reported from payout_contradiction where payout_id = ?', [payout.payoutId])).toEqual([
    { n: 1, reported: 'paid' },
  ]);
  expect((await payout.act('resolve', { outcome: 'paid', note: NOTE })).data).toMatchObject({ status: 'completed' });
  expect(await balanceOf(payout)).toEqual({ payable: 0, in_payout: 0, paid: 2000 });
});

it('W2: each contradiction has a workflow of its own', async () => {
  const { payoutId } = await reported('failed', 'paid');
  const [row] = await rowsOf(api, `select suffix, payload from outbox where topic = 'payout.contradiction' and subject_id = ?`, [
    payoutId,
  ]);
  expect(row).toMatchObject({ suffix: '/contradiction/1', payload: { payoutId, n: 1, amountMinor: '2000', currency: 'usd' } });
});

it('422 without a note or with another outcome; 403 and 404 for payouts of others', async () => {
  const { act, payoutId } = await reported('failed', 'paid');
  expect((await act('resolve', { outcome: 'paid' })).status).toBe(422);
  expect((await act('resolve', { outcome: 'failed', note: NOTE })).status).toBe(422);
  const { key, merchantId } = await makeMerchant(api.runtime);
  const body = { outcome: 'paid', note: NOTE };
  expect((await api.call('POST', `/payouts/${payoutId}/resolve`, { key, body })).status).toBe(403);
  const missing = `/payouts/${merchantId}/resolve`;
  expect((await api.call('POST', missing, { key, body })).status).toBe(404);
  const reader = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  expect((await api.call('POST', missing, { key: reader.key, body })).error.code).toBe('INSUFFICIENT_SCOPE');
});

it('FI12: a payout on hold is not late, and is once it could have gone on', async () => {
  const payout = await payByRail(api);
  await payout.send();
  await payout.report('failed');
  const { id } = (await newPayout(payout)).data;
  await payout.report('paid');
  await rowsOf(api, `update payout set created_at = now() - interval '2 days' where id = ?`, [id]);
  const late = async () =>
    (await runAudit({ ctx: api.runtime.context({ kind: 'system', name: 'test' }) })).findings.filter(({ subject }) =>
      subject.includes(id),
    );
  expect(await late()).toEqual([]);
  await payout.act('resolve', { outcome: 'not_paid', note: NOTE });
  expect(await late()).toEqual([]);
  await rowsOf(api, `update payout_contradiction set resolved_at = now() - interval '1 day' where payout_id = ?`, [
    payout.payoutId,
  ]);
  expect(await late()).toMatchObject([{ detail: 'pending for too long' }]);
  await api.call('POST', `/payouts/${id}/cancel`, { key: payout.key });
});
