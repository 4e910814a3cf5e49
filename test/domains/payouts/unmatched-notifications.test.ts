import { runAudit } from '../../../src/audit/index.ts';
import { countUnmatchedNotifications } from '../../../src/domains/payouts/index.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { NEVER_RECEIVED } from '../../support/provider.ts';
import { payByRail, railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const count = () => countUnmatchedNotifications(api.runtime.context({ kind: 'system', name: 'test' }));

it('W9: a notification of an unknown transfer is stored once, counted, and looked up when its attempt appears', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const { notify, send, lookUp, payoutId, order } = await payByRail(api);
  const paid = { id: 'ntc_early' };
  expect((await notify('paid', paid)).data).toEqual({ outcome: 'unknown_transfer' });
  expect((await notify('paid', paid)).data).toEqual({ outcome: 'repeated' });
  expect(await count()).toBe(1);
  const [row] = await rowsOf(api, `select * from rail_notification where external_id = 'ntc_early'`);
  expect(row).toMatchObject({ attempt_id: null, idempotency_key: order.idempotencyKey, handled_at: null });
  expect(await send()).toMatchObject({ status: 'processing', lookUpRequested: true });
  api.provider.onLookUp(() => transferOf(order, 'paid'));
  expect(await lookUp()).toMatchObject({ status: 'completed', lookUpRequested: false });
  expect(await count()).toBe(0);
  const [applied] = await rowsOf(api, `select * from rail_notification where external_id = 'ntc_early'`);
  expect(applied).toMatchObject({ payout_id: payoutId, effect: 'stale', handled_at: expect.anything() });
});

it('an attempt that a stored notification is about is not sent: after a restore it may be paid already', async () => {
  const { notify, send, lookUp } = await payByRail(api);
  const sent = api.provider.orders.length;
  await notify('accepted');
  expect(await send()).toMatchObject({ status: 'processing', attemptOutcome: 'accepted', sendCount: 0 });
  expect(await send()).toMatchObject({ sendCount: 0 });
  api.provider.onLookUp(() => NEVER_RECEIVED);
  expect(await lookUp()).toMatchObject({ needsAttention: true, reviewReason: 'accepted_before' });
  expect(api.provider.orders).toHaveLength(sent);
});

it('MN13: a reported transfer that was never sent from here, and that the provider does not find, is reviewed as that', async () => {
  const { notify, send, lookUp, payoutId, order } = await payByRail(api);
  await notify('paid', { record: { ...order, amount: 1 } });
  expect(await send()).toMatchObject({ attemptOutcome: 'unknown', sendCount: 0, lookUpRequested: true });
  api.provider.onLookUp(() => NEVER_RECEIVED);
  expect(await lookUp()).toMatchObject({ needsAttention: true, reviewReason: 'never_sent', sendCount: 0 });
  expect(api.provider.orders.filter(({ reference }) => reference === payoutId)).toEqual([]);
  const { findings } = await runAudit({
    ctx: api.runtime.context({ kind: 'system', name: 'test' }),
    budgets: { promptMs: 3_600_000 },
  });
  expect(findings.filter(({ subject }) => subject.includes(payoutId))).toEqual([]);
});

it('a transfer that came back before its attempt existed here is recorded as paid and returned', async () => {
  const { notify, send, lookUp, bookReturn, read, order } = await payByRail(api);
  await notify('returned');
  expect(await send()).toMatchObject({ status: 'processing', lookUpRequested: true });
  api.provider.onLookUp(() => transferOf(order, 'returned'));
  expect(await lookUp()).toMatchObject({ status: 'completed', attemptOutcome: 'paid', sendCount: 0 });
  expect(await bookReturn()).toMatchObject({ status: 'booked', to: 'failed' });
  expect(await read()).toMatchObject({ status: 'failed', failureCode: 'returned' });
});

it('a provider reports nothing about a payout on another rail', async () => {
  const { payoutId, act, read } = await makeManualPayout(api);
  const { notify, lookUp } = railSteps(api, payoutId, '');
  await notify('failed');
  await act('process');
  expect((await notify('failed')).data).toEqual({ outcome: 'unknown_transfer' });
  await lookUp();
  expect(await read()).toMatchObject({ status: 'processing' });
});

it('W9: one that no payout ever has stays counted', async () => {
  const { notify, send } = await payByRail(api);
  await notify('accepted');
  await send();
  await rowsOf(api, `update rail_notification set attempt_id = null, payout_id = null, idempotency_key = 'lost'`);
  expect(await count()).toBeGreaterThanOrEqual(1);
});
