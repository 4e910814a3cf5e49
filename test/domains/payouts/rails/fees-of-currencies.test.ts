import { verifyLedger } from '../../../../src/domains/ledger/index.ts';
import { bookedFees } from '../../../../src/domains/payouts/rails/fees.rules.ts';
import { rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import { useFakeRail } from '../../../support/rails/fake-payouts.ts';

const api = useRailApi({ asOwner: true });
const fake = useFakeRail(api);

const verified = () => verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }));

test('a fee in another currency than the payout is booked in its own, and shown', async () => {
  const { sent } = await fake.merchant();
  const payout = await sent('fee');
  await payout.lookUp();
  await payout.lookUp();
  const [row] = await rowsOf(api, 'select * from payout where id = ?', [payout.payoutId]);
  expect(row).toMatchObject({ status: 'completed', currency: 'usd', fee: null });
  expect(bookedFees(row)).toEqual([{ currency: 'eur', amount: 7, returned: 0 }]);
  const booked = await rowsOf(
    api,
    `select kind, account, amount::int, currency, rail from ledger_entry where kind like 'rail%' and reference_id = ? order by id`,
    [payout.payoutId],
  );
  expect(booked.map((entry) => Object.values(entry).join(' '))).toEqual([
    'rail_fee merchant_expense -7 eur ',
    'rail_fee rail_fees 7 eur fake_account',
  ]);
  expect(await verified()).toEqual([]);
});

test('the audit of the ledger finds a fee in another currency that is not booked', async () => {
  const { sent } = await fake.merchant();
  const payout = await sent('fee');
  await payout.lookUp();
  await rowsOf(api, `update payout set fees = '[{"currency":"eur","amount":9,"returned":1}]' where id = ?`, [payout.payoutId]);
  expect(await verified()).toMatchObject([{ subject: payout.payoutId, detail: 'booked 7 eur instead of 8' }]);
});
