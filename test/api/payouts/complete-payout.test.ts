import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { sendRefund } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: moves the money to paid and records who marked it', async () => {
  const { act, key, payoutId, keyId } = await makePayout(api);
  await act('process');
  const response = await act('complete', { note: 'Paid from the main account' });
  expect(response.status).toBe(200);
  expect(response.data).toMatchObject({ status: 'completed', completedAt: expect.any(String) });
  const timeline = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(timeline.data.at(-1)).toMatchObject({
    from: 'processing',
    to: 'completed',
    actor: `key:${keyId}`,
    note: 'Paid from the main account',
    attempt: 1,
  });
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it('IN12: 409 ILLEGAL_TRANSITION for a pending one, which names `process`, and for a completed payout', async () => {
  const { act } = await makePayout(api);
  const { error } = await act('complete');
  expect(error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'pending' });
  expect(error.message).toContain('POST /payouts/{id}/process');
  await act('process');
  await act('complete');
  expect((await act('complete')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'completed' });
});

it('a refund after the payout does not change it: the amount is deducted from the next one', async () => {
  const { act, key, program, saleId, read } = await makePayout(api);
  await act('process');
  await act('complete');
  await sendRefund(api, program, { saleId, amount: 10_000 });
  expect(await read()).toMatchObject({ status: 'completed', amount: 2000 });
  expect((await api.call('GET', '/payouts/pending', { key })).data).toEqual([]);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

it('FI10: says how the bank names the payment and when it was executed', async () => {
  const { act, key, payoutId, read } = await makePayout(api);
  await act('process');
  const refused = {
    bankReference: ['', 'a'.repeat(141), 'two\nlines', 7, null],
    executedAt: ['2999-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'today', 5, null],
  };
  for (const [name, values] of Object.entries(refused))
    for (const value of values) expect((await act('complete', { [name]: value })).status).toBe(422);
  expect(await read()).toMatchObject({ status: 'processing', bankReference: null, executedAt: null });
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const body = { bankReference: 'SCT 4711', executedAt: `${yesterday}T10:03:00+01:00` };
  const paid = { status: 'completed', bankReference: 'SCT 4711', executedAt: `${yesterday}T09:03:00.000Z` };
  expect((await act('complete', body)).data).toMatchObject(paid);
  expect(await read()).toMatchObject(paid);
  const timeline = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(timeline.data.at(-1)).toMatchObject({ type: 'marked_paid', railReference: 'SCT 4711' });
});
