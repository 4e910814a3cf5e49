import { countUnmatchedNotifications } from '../../../src/domains/payouts/index.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { payByRail, railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const count = () => countUnmatchedNotifications(api.runtime.context({ kind: 'system', name: 'test' }));

it('W9: a notification of an unknown transfer is stored once, counted, and applied when its attempt appears', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const { notify, start, settle, payoutId, order } = await payByRail(api);
  const paid = { id: 'ntc_early' };
  expect((await notify('paid', paid)).data).toEqual({ outcome: 'unknown_transfer' });
  expect((await notify('paid', paid)).data).toEqual({ outcome: 'repeated' });
  expect(await count()).toBe(1);
  const [row] = await rowsOf(api, `select * from rail_notification where external_id = 'ntc_early'`);
  expect(row).toMatchObject({ attempt_id: null, idempotency_key: order.idempotencyKey, handled_at: null });
  expect(await start()).toMatchObject({ status: 'processing', notificationPending: true });
  expect(await count()).toBe(0);
  expect(await settle(false)).toMatchObject({ status: 'completed', notificationPending: false });
  expect(payoutId).toBe(order.reference);
});

it('an attempt that a stored notification is about is not sent: after a restore it may be paid already', async () => {
  const { notify, submit, settle } = await payByRail(api);
  const sent = api.provider.orders.length;
  await notify('paid');
  expect(await submit()).toMatchObject({ attemptOutcome: 'created', sendCount: 0, notificationPending: true });
  expect(api.provider.orders).toHaveLength(sent);
  expect(await settle(false)).toMatchObject({ status: 'completed', sendCount: 0 });
});

it('a provider reports nothing about a payout on another rail', async () => {
  const { payoutId, act, read } = await makeManualPayout(api);
  const { notify, settle } = railSteps(api, payoutId, '');
  await notify('failed');
  await act('process');
  expect((await notify('failed')).data).toEqual({ outcome: 'unknown_transfer' });
  await settle();
  expect(await read()).toMatchObject({ status: 'processing' });
});

it('W9: one that no payout ever has stays counted', async () => {
  const { notify, start } = await payByRail(api);
  await notify('accepted');
  await start();
  await rowsOf(api, `update rail_notification set attempt_id = null, payout_id = null, idempotency_key = 'lost'`);
  expect(await count()).toBeGreaterThanOrEqual(1);
});
