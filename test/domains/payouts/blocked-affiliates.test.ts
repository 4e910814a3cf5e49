import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const manualApi = useOwnApi();

it('S1: a block between POST /payouts and the first attempt fails the payout, and nothing is sent', async () => {
  const { key, affiliateId, send, read } = await payByRail(api);
  expect((await api.call('POST', `/affiliates/${affiliateId}/block`, { key, body: {} })).status).toBe(200);
  expect(await send()).toMatchObject({ status: 'failed', failureCode: 'affiliate_blocked', attemptId: null });
  expect(await read()).toMatchObject({ status: 'failed', failureCode: 'affiliate_blocked' });
  expect(api.provider.orders).toEqual([]);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it('S1: the block wakes the workflow of a payout that waits, and one with an attempt goes on', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const { key, affiliateId, payoutId, send, report } = await payByRail(api);
  await rowsOf(api, 'delete from outbox');
  await send();
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key, body: {} });
  expect(await rowsOf(api, `select topic from outbox where subject_id = ?`, [payoutId])).toEqual([]);
  expect(await report('paid')).toMatchObject({ status: 'completed' });
  const waiting = await payByRail(api);
  await rowsOf(api, 'delete from outbox');
  await api.call('POST', `/affiliates/${waiting.affiliateId}/block`, { key: waiting.key, body: {} });
  const signals = await rowsOf(api, `select topic from outbox where subject_id = ?`, [waiting.payoutId]);
  expect(signals).toEqual([{ topic: 'payout.changed' }]);
  expect(await waiting.send()).toMatchObject({ status: 'failed', failureCode: 'affiliate_blocked' });
});

it('S1: a manual payout of a blocked affiliate cannot be started', async () => {
  const { key, affiliateId, act } = await makePayout(manualApi);
  await manualApi.call('POST', `/affiliates/${affiliateId}/block`, { key, body: {} });
  expect((await act('process')).data).toMatchObject({ status: 'failed', failureCode: 'affiliate_blocked' });
});
