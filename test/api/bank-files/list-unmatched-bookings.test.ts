import { endToEndIdOf } from '../../../src/domains/payouts/rails/sepa/end-to-end-id.ts';
import { writeStatementMessage } from '../../../src/local/bank-double/messages.ts';
import { useTestApi } from '../../support/api.ts';
import { keyOf } from '../../support/rails/file-conformance.ts';
import { DEBTOR_IBAN } from '../../support/rails/sepa-bank.ts';
import { DAY, makeBankPayouts } from './support.ts';

const api = useTestApi();

test('bookings with our ids from which nothing follows are listed, and others are not', async () => {
  const { make, call, payoutIds, read } = await makeBankPayouts(api, ['Ada A']);
  await make();
  const own = endToEndIdOf(`payout-${payoutIds[0]}-1`);
  const entry = (endToEndId: string, amount: string, direction: 'DBIT' | 'CRDT', ref: string) => ({
    ...{ ref, amount, direction, on: DAY, parts: [{ endToEndId, amount }] },
  });
  const entries = [
    entry(endToEndIdOf(keyOf(9)), '5.00', 'DBIT', 'B1'),
    entry(own, '20.01', 'DBIT', 'B2'),
    entry(own, '20.00', 'CRDT', 'B3'),
    entry('RENT', '900.00', 'DBIT', 'B4'),
  ];
  const message = { id: 'S1', at: new Date(), iban: DEBTOR_IBAN, from: DAY, to: DAY, entries };
  const content = writeStatementMessage('053', '08', message).toString();
  expect((await call('POST', '/bank-files/statements', { content })).data).toMatchObject({ foreign: 1, unmatched: 3 });
  const { data } = await call('GET', '/bank-files/bookings');
  expect(data.map(({ problem }: { problem: string }) => problem).sort()).toEqual([
    'no_reason',
    'other_amount',
    'unknown_payment',
  ]);
  expect((await read(payoutIds[0] ?? '')).situation).toMatchObject({ state: 'to_decide', reason: 'record_mismatch' });
});
