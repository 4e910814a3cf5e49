import { CURRENCY_CODES, CURRENCY_DECIMALS, formatMoney, toDecimal, toMajorUnits } from '../../../src/contracts/currencies.ts';

test.each([
  ['usd', '1234.56'],
  // Prices in these are written without decimals, but their minor unit is a hundredth.
  ['huf', '1234.56'],
  ['cop', '1234.56'],
  ['idr', '1234.56'],
  ['pkr', '1234.56'],
  ['mga', '1234.56'],
  ['jpy', '123456'],
  ['isk', '123456'],
  ['kwd', '123.456'],
  ['iqd', '123.456'],
])('123456 minor units of %s are %s', (currency, text) => {
  expect(toDecimal(123_456, currency)).toBe(text);
  expect(formatMoney(123_456, currency)).toBe(`${text} ${currency.toUpperCase()}`);
  expect(toMajorUnits(123_456, currency)).toBe(Number(text));
});

test('of the currencies in circulation, 16 have no decimals and 7 have three (ISO 4217)', () => {
  const countOf = (decimals: number) => CURRENCY_CODES.filter((code) => CURRENCY_DECIMALS.get(code) === decimals).length;
  expect([countOf(0), countOf(3), countOf(4)]).toEqual([16, 7, 0]);
});
