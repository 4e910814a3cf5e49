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

it.each([...differences, ['unnamed amount', { record: null }] as const])(
  'MO10: a return of another %s books nothing before the provider was asked',
  async (_name, more) => {
    const payout = await payByRail(api);
    await payout.send();
    expect(await payout.report('paid')).toMatchObject({ status: 'completed' });
    const record = { reference: payout.payoutId, amount: 2000, currency: 'usd' };
    const differing = 'transferId' in more ? more : { record: more.record && { ...record, ...more.record } };
    for (let twice = 0; twice < 2; twice++) expect((await payout.notify('returned', differing)).data.outcome).toBe('recorded');
    expect(await payout.corrections()).toMatchObject([{ cause: 'rail_return', status: 'open' }]);
    expect(await payout.bookReturn()).toMatchObject({ status: 'open' });
    api.provider.onLookUp(() => transferOf(payout.order, 'paid'));
    expect(await payout.askAboutReturn()).toMatchObject({ status: 'open', needsAttention: true });
    expect(await payout.load()).toMatchObject({ status: 'completed' });
    api.provider.onLookUp(() => transferOf(payout.order, 'returned'));
    expect(await payout.askAboutReturn()).toMatchObject({ status: 'booked', to: 'failed' });
    expect(await payout.load()).toMatchObject({ status: 'failed', failureCode: 'returned', needsAttention: false });
  },
);

it('MO10: a return of another amount is booked once a notification agrees, and its workflow is told', async () => {
  const payout = await payByRail(api);
  await payout.send();
  await payout.report('paid');
  await payout.notify('returned', { record: { reference: payout.payoutId, amount: 1, currency: 'usd' } });
  await rowsOf(api, 'delete from outbox');
  await payout.notify('returned');
  const signals = await rowsOf(api, `select topic from outbox where subject_id = ?`, [payout.payoutId]);
  expect(signals).toEqual([{ topic: 'payout.correction_changed' }]);
  expect(await payout.bookReturn()).toMatchObject({ status: 'booked', to: 'failed' });
});

it('MO10: a person withdraws a return of another amount, or proves it', async () => {
  const [withdrawn, proven] = [await payByRail(api), await payByRail(api)];
  for (const payout of [withdrawn, proven]) {
    await payout.send();
    await payout.report('paid');
    await payout.notify('returned', { record: { reference: payout.payoutId, amount: 1, currency: 'usd' } });
  }
  const call = (payout: typeof proven, verb: string, body: object) =>
    api.call('POST', `/payouts/${payout.payoutId}/${verb}`, { key: payout.key, body });
  expect(await call(withdrawn, 'resolve', { outcome: 'paid', note: 'The provider shows another transfer' })).toMatchObject({
    data: { status: 'completed', needsAttention: false },
  });
  expect(await withdrawn.corrections()).toMatchObject([{ status: 'withdrawn' }]);
  expect(await call(proven, 'return', { note: 'It is back' })).toMatchObject({
    error: { details: { reason: 'RETURN_REPORTED' } },
  });
  expect(await call(proven, 'return', { note: 'It is back', evidence: 'Statement 12' })).toMatchObject({
    data: { status: 'failed', failureCode: 'returned' },
  });
  expect(await proven.corrections()).toMatchObject([{ status: 'booked', evidence: 'Statement 12' }]);
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
