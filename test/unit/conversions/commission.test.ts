import fc from 'fast-check';
import { formatMoney } from '../../../src/contracts/currencies.ts';
import { commissionOf, statusAfterRefund } from '../../../src/domains/conversions/record/commission.rules.ts';
import { percentOf } from '../../../src/platform/money.ts';

it.each([
  [10_000, 0, 20, 2_000],
  [9_999, 0, 12.5, 1_250],
  [5, 0, 10, 1],
  [4, 0, 10, 0],
  [10_000, 10_000, 20, 0],
  // Computed from what remains: not the difference of two rounded commissions.
  [14, 9, 10, 1],
  [1_000_000_000_000, 0, 99.99, 999_900_000_000],
])('the commission of %i minus %i at %f %% is %i', (amount, refunded, percent, expected) => {
  expect(commissionOf({ amount, refunded, percent })).toBe(expected);
});

it('the commission is never above the sale, never negative and never increased by a refund', () => {
  const cents = fc.integer({ min: 1, max: 1_000_000_000_000 });
  const percents = fc.integer({ min: 100, max: 10_000 }).map((basisPoints) => basisPoints / 100);
  fc.assert(
    fc.property(cents, cents, percents, (amount, back, percent) => {
      const refunded = Math.min(amount, back);
      const before = percentOf(amount, percent);
      const after = commissionOf({ amount, refunded, percent });
      expect([after >= 0, after <= before, before <= amount]).toEqual([true, true, true]);
    }),
  );
});

it.each([
  ['pending', 1_000, 400, false, 'partially_refunded'],
  ['approved', 1_000, 1_000, true, 'refunded'],
  ['rejected', 1_000, 1_000, false, 'rejected'],
  ['refunded', 1_000, 400, true, 'partially_refunded'],
  ['refunded', 1_000, 0, true, 'approved'],
  ['partially_refunded', 1_000, 0, false, 'pending'],
  ['rejected', 1_000, 0, false, 'rejected'],
] as const)('refunds turn %s of %i by %i, approved: %s, into %s', (from, amount, refunded, isApproved, to) => {
  expect(statusAfterRefund(from, amount, refunded, isApproved)).toBe(to);
});

it.each([
  [12_500, 'eur', '125.00 EUR'],
  [500, 'jpy', '500 JPY'],
  [1_234, 'kwd', '1.234 KWD'],
])('shows %i %s as %s', (amount, currency, shown) => {
  expect(formatMoney(amount, currency)).toBe(shown);
});
