import { NEVER_RECEIVED, providerError } from '../../support/provider.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

beforeEach(() => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
});

const differences = [
  ['amount', { record: { amount: 1999 } }],
  ['currency', { record: { currency: 'eur' } }],
  ['reference', { record: { reference: 'another' } }],
  ['transfer', { transferId: 'trf_2' }],
] as const;

it.each(differences)('MO10: a payment of another %s books nothing before the provider was asked', async (_name, more) => {
  const payout = await payByRail(api);
  await payout.send();
  await rowsOf(api, 'delete from outbox');
  const record = { reference: payout.payoutId, amount: 2000, currency: 'usd' };
  const differing = 'record' in more ? { record: { ...record, ...more.record } } : more;
  expect((await payout.notify('paid', differing)).data).toEqual({ outcome: 'recorded' });
  expect(await payout.load()).toMatchObject({ status: 'processing', lookUpRequested: true });
  const signals = await rowsOf(api, `select payload #> '{snapshot,lookUpRequested}' as asked from outbox where subject_id = ?`, [
    payout.payoutId,
  ]);
  expect(signals).toEqual([{ asked: true }]);
  api.provider.onLookUp(() => providerError(500, 'internal_error'));
  expect(await payout.lookUp()).toMatchObject({ status: 'processing', lookUpRequested: true });
  api.provider.onLookUp(() => transferOf({ ...payout.order, amount: 1999 }, 'paid'));
  expect(await payout.lookUp()).toMatchObject({ status: 'processing', reviewReason: 'record_mismatch' });
});

it('MO10: a payment without a record is booked once the provider confirms it', async () => {
  const payout = await payByRail(api);
  await payout.send();
  const [{ id }] = await rowsOf(api, 'select id from payout_attempt where payout_id = ?', [payout.payoutId]);
  await rowsOf(api, 'update payout_attempt set send_count = 0 where id = ?', [id]);
  await payout.notify('paid');
  expect(await payout.load()).toMatchObject({ status: 'processing', lookUpRequested: true });
  api.provider.onLookUp(() => transferOf(payout.order, 'paid'));
  expect(await payout.lookUp()).toMatchObject({ status: 'completed', lookUpRequested: false });
});

it('MO10: a failure of another transfer makes nothing payable again', async () => {
  const payout = await payByRail(api);
  await payout.send();
  await payout.notify('failed', { record: { reference: payout.payoutId, amount: 1, currency: 'usd' } });
  api.provider.onLookUp(() => transferOf(payout.order, 'accepted'));
  expect(await payout.lookUp()).toMatchObject({ status: 'processing', needsAttention: false, lookUpRequested: false });
  api.provider.onLookUp(() => NEVER_RECEIVED);
});
