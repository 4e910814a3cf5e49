import fc from 'fast-check';
import { toDecimal } from '../../../src/contracts/currencies.ts';
import { readAmount } from '../../../src/platform/csv/read-amount.ts';

test.each([
  ['1234.50', 'usd', 123_450],
  ['1,234.50', 'usd', 123_450],
  ['1.234,50', 'eur', 123_450],
  ['1234,5', 'eur', 123_450],
  ['1 234,50', 'eur', 123_450],
  ['1\u00A0234,50', 'eur', 123_450],
  ['1\u202F234,50', 'eur', 123_450],
  ["1'234.50", 'chf', 123_450],
  ['1’234.50', 'chf', 123_450],
  ['1,234,567.89', 'usd', 123_456_789],
  ['1.234.567', 'eur', 123_456_700],
  ['125', 'usd', 12_500],
  ['1,234', 'usd', 123_400],
  ['1.234', 'eur', 123_400],
  ['1.234', 'kwd', 1_234],
  ['1,234.5', 'kwd', 1_234_500],
  ['500', 'jpy', 500],
  ['500.00', 'jpy', 500],
  ['1,500', 'jpy', 1_500],
  [' 0.01 ', 'usd', 1],
])('%j in %s is %d', (cell, currency, minor) => {
  expect(readAmount(cell, currency)).toBe(minor);
});

test.each([
  ['', 'usd'],
  ['-20.00', 'usd'],
  ['+20.00', 'usd'],
  ['$20.00', 'usd'],
  ['20.00 USD', 'usd'],
  ['12345.678', 'usd'],
  ['1,23,456.00', 'usd'],
  ['1,234,56', 'usd'],
  ['1.234,567.89', 'usd'],
  ['12 34.00', 'usd'],
  ['20.', 'usd'],
  ['.50', 'usd'],
  ['1e3', 'usd'],
  ['500.5', 'jpy'],
  ['99999999999999999', 'usd'],
  ['9'.repeat(10_000), 'usd'],
])('%j in %s is no amount', (cell, currency) => {
  expect(readAmount(cell, currency)).toBeNull();
});

test('every amount is read as we and a German or Swiss spreadsheet write it', () => {
  const minor = fc.integer({ min: 0, max: 1_000_000_000_000 });
  fc.assert(
    fc.property(minor, fc.constantFrom('usd', 'jpy', 'kwd'), (amount, currency) => {
      const decimal = toDecimal(amount, currency);
      const [whole = '', fraction] = decimal.split('.');
      for (const [group, point] of [
        ['', '.'],
        ['', ','],
        ['.', ','],
        [',', '.'],
        ["'", '.'],
      ] as const) {
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
        const cell = fraction === undefined ? grouped : `${grouped}${point}${fraction}`;
        expect([cell, readAmount(cell, currency)]).toEqual([cell, amount]);
      }
    }),
  );
});
