import { endPayeeHolds, findPaymentsHold, holdPayments, liftPaymentsHold } from '../../../src/domains/payouts/index.ts';
import { resolveReconciliationDifference } from '../../../src/domains/reconciliation/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { makeBankPayouts } from '../../api/bank-files/support.ts';
import { makeDifference } from '../../support/differences.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { NEVER_RECEIVED } from '../../support/provider.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const ctx = (): Context => {
  const base = api.runtime.context({ kind: 'system', name: 'test' });
  return { ...base, em: base.em.fork() as Context['em'] };
};

const hold = () => holdPayments(ctx(), { cause: 'database_behind' });
const lift = async () => {
  const open = await findPaymentsHold(ctx());
  if (open) await liftPaymentsHold(ctx(), { id: open.id, note: 'The books agree' });
};

beforeEach(() => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  api.provider.onLookUp(() => NEVER_RECEIVED);
});
afterEach(lift);

const sentFor = (payoutId: string) => api.provider.orders.filter(({ reference }) => reference === payoutId).length;

it('while payments are held nothing is sent for the first time or again, look-ups go on, and afterwards each is sent once', async () => {
  const [fresh, unknown, accepted] = [await payByRail(api), await payByRail(api), await payByRail(api)];
  api.provider.onSubmit(() => ({ status: 500, body: { error: { code: 'internal_error' } } }));
  await unknown.send();
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  await accepted.send();
  await rowsOf(api, `update payout_attempt set resend_at = now() where payout_id = ?`, [unknown.payoutId]);

  await hold();
  expect(await fresh.send()).toMatchObject({ status: 'pending', sendCount: 0 });
  expect((await fresh.read()).situation).toMatchObject({ state: 'on_hold', reason: 'payments_held' });
  expect(await unknown.lookUp()).toMatchObject({ status: 'processing', sendCount: 1, needsAttention: false });
  api.provider.onLookUp(() => transferOf(accepted.order, 'paid'));
  expect(await accepted.lookUp()).toMatchObject({ status: 'completed' });
  api.provider.onLookUp(() => NEVER_RECEIVED);
  expect([sentFor(fresh.payoutId), sentFor(unknown.payoutId)]).toEqual([0, 1]);

  await lift();
  await Promise.all([fresh.send(), fresh.send()]);
  await unknown.lookUp();
  expect([sentFor(fresh.payoutId), sentFor(unknown.payoutId)]).toEqual([1, 2]);
});

it('while payments are held nobody begins to pay, sees where to pay, or is given a file, and afterwards they do', async () => {
  const [pending, begun] = [await makeManualPayout(api), await makeManualPayout(api)];
  await begun.act('process');
  const waiting = await makeBankPayouts(api, ['Ada Lovelace']);
  const filed = await makeBankPayouts(api, ['Zoë Müller']);
  const file = (await filed.make()).data.files[0];
  const instructions = () => api.call('GET', `/payouts/${begun.payoutId}/instructions`, { key: begun.key });
  const content = () => filed.call('GET', `/bank-files/${file.id}/content`);
  const roads = [() => pending.act('process'), instructions, () => waiting.make(), content];

  await hold();
  for (const go of roads) expect((await go()).error).toMatchObject({ code: 'CONFLICT', details: { reason: 'PAYMENTS_HELD' } });
  expect((await pending.read()).status).toBe('pending');
  expect(await waiting.states()).toEqual(['on_hold']);
  expect(await rowsOf(api, `select 1 from bank_file where merchant_id = ?`, [waiting.merchantId])).toEqual([]);
  expect(await rowsOf(api, `select downloads from bank_file where id = ?`, [file.id])).toEqual([{ downloads: 0 }]);

  await lift();
  for (const go of roads) expect((await go()).status).toBeLessThan(300);
});

it('a held payee gets nothing, whichever way the provider names them, and all others are paid', async () => {
  const held = await payByRail(api, { local: 'held+payee' });
  const { merchantId, key } = held;
  const merchant = { merchantId, key, keyId: held.keyId };
  const other = await payByRail(api, { merchant, local: 'other+payee' });
  const stranger = await payByRail(api, { local: 'held+payee' });
  const id = await makeDifference(api, { merchantId, receiver: ' HELD+payee@Example.com' });
  expect(await held.send()).toMatchObject({ status: 'pending', sendCount: 0 });
  expect((await held.read()).situation).toMatchObject({ state: 'on_hold', reason: 'payee_held' });
  expect(await other.send()).toMatchObject({ status: 'processing', sendCount: 1 });
  // The payment is of another merchant.
  expect(await stranger.send()).toMatchObject({ status: 'processing', sendCount: 1 });
  await endPayeeHolds(ctx(), { ids: [id], payoutId: null });
  expect(await held.send()).toMatchObject({ status: 'processing', sendCount: 1 });
  expect(sentFor(held.payoutId)).toBe(1);
});

it('where the provider does not name the payee, payments of the same amount wait', async () => {
  const [same, other] = [await payByRail(api), await payByRail(api, { amount: 20_000 })];
  for (const { merchantId } of [same, other]) await makeDifference(api, { merchantId, payment: { amountMinor: 2_000 } });
  expect(await same.send()).toMatchObject({ status: 'pending' });
  expect(await other.send()).toMatchObject({ status: 'processing' });
});

it('a payout that a person links to a payment, or that the list names, is looked up and never sent', async () => {
  const [linked, named] = [await payByRail(api), await payByRail(api)];
  const id = await makeDifference(api, { merchantId: linked.merchantId, receiver: 'ada@example.com' });
  await resolveReconciliationDifference(ctx(), { id, note: 'It is this one', payoutId: linked.payoutId });
  await makeDifference(api, { merchantId: named.merchantId, payment: { idempotencyKey: named.order.idempotencyKey } });
  await hold();
  for (const { send, lookUp, payoutId, order, attempt } of [linked, named]) {
    expect(await send()).toMatchObject({ status: 'processing', sendCount: 0 });
    api.provider.onLookUp(() => transferOf(order, 'paid'));
    expect(await lookUp()).toMatchObject({ status: 'completed', sendCount: 0 });
    expect((await attempt()).outcome).toBe('paid');
    expect(sentFor(payoutId)).toBe(0);
  }
});

it('a payout that the bank has paid already comes into no file: a person decides', async () => {
  const { payoutIds, make, read, merchantId } = await makeBankPayouts(api, ['Ada A', 'Ada B']);
  const [payoutId = '', other = ''] = payoutIds;
  const id = await makeDifference(api, { merchantId, payment: { amountMinor: 1 } });
  await resolveReconciliationDifference(ctx(), { id, note: 'It is this one', payoutId });
  expect((await make()).data.files).toMatchObject([{ payments: 1 }]);
  const lines = await rowsOf(api, `select payout_id from bank_file_line where payout_id in (?, ?)`, [payoutId, other]);
  expect(lines).toEqual([{ payout_id: other }]);
  expect(await read(payoutId)).toMatchObject({ status: 'processing', needsAttention: true });
  expect((await make()).error.details.reason).toBe('NOTHING_TO_PUT_INTO_FILE');
});
