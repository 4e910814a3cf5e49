import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayable } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';
import { payByRail, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const manualApi = useTestApi();

const pause = (on: typeof manualApi, key: string, affiliateId: string, payoutsPaused = true) =>
  on.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { payoutsPaused } });

it('409 PAYOUTS_PAUSED for a new payout, and /payouts/pending shows the pause; the balance is paid once it ends', async () => {
  const { key, affiliateId, programId } = await makePayable(manualApi);
  const pay = () => manualApi.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const pending = async () => (await manualApi.call('GET', '/payouts/pending', { key })).data;
  await pause(manualApi, key, affiliateId);
  expect(await pay()).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { reason: 'PAYOUTS_PAUSED' } } });
  expect(await pending()).toMatchObject([{ affiliateId, payoutsPaused: true, blocked: false, pendingAmount: 2_000 }]);
  await pause(manualApi, key, affiliateId, false);
  expect(await pending()).toMatchObject([{ payoutsPaused: false }]);
  expect(await pay()).toMatchObject({ status: 201, data: { amount: 2_000 } });
});

it('409 PAYOUTS_PAUSED for a retry', async () => {
  const { key, affiliateId, act } = await makePayout(manualApi);
  await act('cancel');
  await pause(manualApi, key, affiliateId);
  expect((await act('retry')).error.details.reason).toBe('PAYOUTS_PAUSED');
});

it('a block is reported before a pause', async () => {
  const { key, affiliateId, programId } = await makePayable(manualApi);
  await pause(manualApi, key, affiliateId);
  await manualApi.call('POST', `/affiliates/${affiliateId}/block`, { key });
  const response = await manualApi.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(response.error.details.reason).toBe('AFFILIATE_BLOCKED');
});

it('a payout that was created before the pause goes on, with or without an attempt', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const { key, affiliateId, send, report } = await payByRail(api);
  await pause(api, key, affiliateId);
  expect(await send()).toMatchObject({ status: 'processing', onHold: null });
  expect(await report('paid')).toMatchObject({ status: 'completed' });
  const manual = await makePayout(manualApi);
  await pause(manualApi, manual.key, manual.affiliateId);
  expect((await manual.act('process')).data).toMatchObject({ status: 'processing' });
  expect((await manual.act('complete')).data).toMatchObject({ status: 'completed' });
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it('a pause and a payout at the same time: the payout comes first or is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const { key, affiliateId, programId } = await makePayable(manualApi);
    const [payout] = await Promise.all([
      manualApi.call('POST', '/payouts', { key, body: { affiliateId, programId } }),
      pause(manualApi, key, affiliateId),
    ]);
    expect(payout.status === 201 || payout.error.details.reason === 'PAYOUTS_PAUSED').toBe(true);
    const later = await manualApi.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    expect(later.error.details.reason).toBe('PAYOUTS_PAUSED');
  }
});
