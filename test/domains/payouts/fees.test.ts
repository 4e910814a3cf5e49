import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { anyAddress } from '../../support/api.ts';
import { providerError } from '../../support/provider.ts';
import { payByRail, type RailPayout, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const verified = () => verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }));

afterEach(async () => expect(await verified()).toEqual([]));

const withFee = ({ order }: RailPayout, fees: { fee?: number; feeReturned?: number } = { fee: 25 }) => {
  const { reference, amount, currency } = order;
  return { record: { reference, amount, currency, ...fees } };
};

const GIVEN_BACK = { fee: 25, feeReturned: 25 };

const accepted = async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const payout = await payByRail(api);
  await payout.send();
  const booked = async () =>
    (
      await rowsOf(
        api,
        `select kind, account, amount::int, rail from ledger_entry where kind like 'rail%' and reference_id = ?
        order by id`,
        [payout.payoutId],
      )
    ).map(({ kind, account, amount, rail }) => [kind, account, amount, rail].join(' '));
  return { ...payout, booked };
};

const CHARGED = ['rail_fee merchant_expense -25 ', 'rail_fee rail_fees 25 sandbox'];
const REVERSED = ['rail_fee_returned merchant_expense 25 ', 'rail_fee_returned rail_fees -25 sandbox'];

test('a fee is booked once with the payment, however often and by whom it is reported, and shown', async () => {
  const payout = await accepted();
  const { notify, lookUp, read, booked } = payout;
  expect(await read()).toMatchObject({ fee: null });
  api.provider.onLookUp(() => transferOf(payout.order, 'paid', { fee: 25 }));
  await Promise.all([notify('paid', withFee(payout)), notify('paid', withFee(payout)), lookUp()]);
  await notify('paid', withFee(payout));
  const fees = [{ currency: 'usd', amount: 25, returned: 0 }];
  expect(await read()).toMatchObject({ status: 'completed', amount: 2_000, fee: 25, fees });
  expect(await booked()).toEqual(CHARGED);
});

test('a fee that the provider gives back with the money is reversed; one that it keeps stays', async () => {
  const kept = await accepted();
  await kept.notify('paid', withFee(kept));
  await kept.notify('returned', withFee(kept));
  await kept.bookReturn();
  expect([await kept.booked(), (await kept.read()).fee]).toEqual([CHARGED, 25]);
  const back = await accepted();
  await back.notify('paid', withFee(back));
  await back.notify('returned', withFee(back, GIVEN_BACK));
  expect((await back.read()).fee).toBe(25);
  await back.bookReturn();
  await back.notify('returned', withFee(back, GIVEN_BACK));
  expect(await back.booked()).toEqual([...CHARGED, ...REVERSED]);
  expect(await back.read()).toMatchObject({ status: 'failed', failureCode: 'returned', fee: 0 });
});

test('a return by hand keeps the fee until the provider says that it gave it back', async () => {
  const payout = await accepted();
  const { notify, act, booked, read } = payout;
  await notify('paid', withFee(payout));
  const evidence = { note: 'Bank statement', evidence: 'Statement of May' };
  expect((await act('return', evidence)).status).toBe(200);
  expect(await booked()).toEqual(CHARGED);
  await notify('returned', withFee(payout, GIVEN_BACK));
  expect([await booked(), (await read()).fee]).toEqual([[...CHARGED, ...REVERSED], 0]);
});

test('a fee of a contradiction is booked when a person finds out that it was paid, and reversed when it was not', async () => {
  api.provider.onSubmit(() => providerError(422, 'recipient_refused'));
  const payout = await accepted();
  await payout.send();
  await payout.notify('failed', withFee(payout, {}));
  await payout.notify('paid', withFee(payout));
  expect([await payout.booked(), (await payout.read()).needsAttention]).toEqual([[], true]);
  await payout.act('resolve', { outcome: 'paid', note: 'Seen on the statement' });
  expect(await payout.booked()).toEqual(CHARGED);
  await payout.notify('failed', withFee(payout));
  await payout.act('resolve', { outcome: 'not_paid', note: 'It was another one' });
  expect([await payout.booked(), (await payout.read()).fee]).toEqual([[...CHARGED, ...REVERSED], 0]);
});

test('a fee of another transfer, and one of a payout that a person completed, are booked as what they are', async () => {
  const payout = await accepted();
  const { notify, act, booked } = payout;
  const { record } = withFee(payout);
  await notify('paid', { record: { ...record, amount: 1 } });
  expect(await booked()).toEqual([]);
  await rowsOf(api, `update payout set needs_attention = true, review_reason = 'status_unknown' where id = ?`, [payout.payoutId]);
  expect((await act('complete', { note: 'Seen' })).status).toBe(200);
  expect(await booked()).toEqual([]);
  await notify('paid', { record });
  expect(await booked()).toEqual(CHARGED);
});

test('a wrong fee is malformed and changes nothing', async () => {
  const payout = await accepted();
  for (const fee of [-1, 0.5, Number.MAX_SAFE_INTEGER + 1]) {
    expect((await payout.notify('paid', withFee(payout, { fee }))).status).toBe(400);
  }
  expect([await payout.booked(), (await payout.read()).status]).toEqual([[], 'processing']);
});

test('the export and the verification of the ledger know the fee', async () => {
  const payout = await accepted();
  await payout.notify('paid', withFee(payout));
  const { data } = await api.call('GET', '/payouts/export', { key: payout.key });
  const { pathname, search } = new URL(data.url);
  const file = await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
  expect(file.body).toContain(',20.00,0.25,USD,');
  const spoil = (fee: number) => rowsOf(api, 'update payout set fee = ? where id = ?', [fee, payout.payoutId]);
  await spoil(24);
  expect(await verified()).toEqual([
    { rule: 'the fee of a payout is booked once', subject: payout.payoutId, detail: 'booked 25 usd instead of 24' },
  ]);
  await spoil(25);
});
