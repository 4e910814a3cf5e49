import { addsFee, bookedFees, chargedFees, feesToBook, withFees } from '../../../src/domains/payouts/rails/fees.rules.ts';

const NONE = { fee: null, feeReturned: 0, otherFees: null };
const EUR = { amountMinor: 30, currency: 'eur' };
const USD = { amountMinor: 7, currency: 'usd' };

it('the first fee in each currency counts, and a return is never more than the fee', () => {
  const once = withFees(NONE, 'eur', [EUR, USD]);
  expect(once).toEqual({ fee: 30, feeReturned: 0, otherFees: [{ ...USD, returnedMinor: 0 }] });
  expect(
    withFees(once, 'eur', [
      { ...EUR, amountMinor: 99 },
      { ...USD, amountMinor: 99 },
    ]),
  ).toEqual(once);
  const back = withFees(once, 'eur', [
    { ...EUR, returnedMinor: 10 },
    { ...USD, returnedMinor: 70 },
  ]);
  expect(back).toEqual({ fee: 30, feeReturned: 10, otherFees: [{ ...USD, returnedMinor: 7 }] });
  expect(withFees(back, 'eur', [EUR, USD])).toEqual(back);
});

it('only a report that changes what is known adds a fee', () => {
  const known = withFees(NONE, 'eur', [USD, { amountMinor: 5, currency: 'gbp' }]);
  expect([addsFee(NONE, 'eur'), addsFee(NONE, 'eur', [USD]), addsFee(known, 'eur', [USD])]).toEqual([false, true, false]);
  expect(addsFee(known, 'eur', [{ ...USD, returnedMinor: 1 }])).toBe(true);
  expect(addsFee({ ...known, otherFees: [...(known.otherFees ?? [])].reverse() }, 'eur', [])).toBe(false);
});

it('a payment that was not made costs nothing, and one that came back what the provider kept', () => {
  const known = { fee: 30, feeReturned: 10, otherFees: [{ ...USD, returnedMinor: 7 }] };
  expect(chargedFees(known, 'eur', 'accepted')).toEqual([]);
  expect(chargedFees(known, 'eur', 'failed')).toEqual([]);
  expect(chargedFees(known, 'eur', 'paid')).toEqual([
    { currency: 'eur', amount: 30, returned: 0 },
    { currency: 'usd', amount: 7, returned: 0 },
  ]);
  expect(chargedFees(known, 'eur', 'returned')).toEqual([
    { currency: 'eur', amount: 30, returned: 10 },
    { currency: 'usd', amount: 7, returned: 7 },
  ]);
});

it('what is left to book is the difference in each currency', () => {
  const paid = chargedFees({ fee: 30, feeReturned: 0, otherFees: [USD] }, 'eur', 'paid');
  const both = [
    { currency: 'eur', amount: 30 },
    { currency: 'usd', amount: 7 },
  ];
  expect(feesToBook(paid, [])).toEqual(both);
  expect(feesToBook(paid, paid)).toEqual([]);
  expect(feesToBook([], paid)).toEqual(both.map(({ currency, amount }) => ({ currency, amount: -amount })));
});

it('a payout of before had one fee in its currency', () => {
  expect(bookedFees({ fee: 25, currency: 'eur' })).toEqual([{ currency: 'eur', amount: 25, returned: 0 }]);
  expect(bookedFees({ fee: 0, fees: null, currency: 'eur' })).toEqual([]);
});
