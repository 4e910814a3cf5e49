import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { sendRefund } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: moves the money to paid and tells who said so', async () => {
  const { act, key, payoutId, keyId } = await makePayout(api);
  await act('process');
  const answer = await act('complete', { note: 'Paid from the main account' });
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject({ status: 'completed', completedAt: expect.any(String) });
  const timeline = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(timeline.data.at(-1)).toMatchObject({
    from: 'processing',
    to: 'completed',
    actor: `key:${keyId}`,
    reason: 'Paid from the main account',
    attempt: 1,
  });
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it('409 ILLEGAL_TRANSITION: a payout that was not started, or is completed, is not completed', async () => {
  const { act } = await makePayout(api);
  expect((await act('complete')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'pending' });
  await act('process');
  await act('complete');
  expect((await act('complete')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'completed' });
});

it('leaves money that was paid alone when the sale is refunded afterwards: it owes the next payout', async () => {
  const { act, key, program, saleId, read } = await makePayout(api);
  await act('process');
  await act('complete');
  await sendRefund(api, program, { saleId, amount: 10_000 });
  expect(await read()).toMatchObject({ status: 'completed', amount: 2000 });
  expect((await api.call('GET', '/payouts/pending', { key })).data).toEqual([]);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});
