import { parseNumber, withNumbers } from '../../../src/platform/database/type-parsers.ts';

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;
const INT8_ARRAY = 1016;

const parsers = withNumbers({
  getTypeParser: (oid) => (text) =>
    oid === 1009
      ? text
          .slice(1, -1)
          .split(',')
          .map((item) => (item === 'NULL' ? null : item))
      : text,
});

it.each([
  ['0', 0],
  ['-9007199254740991', Number.MIN_SAFE_INTEGER],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['12.50', 12.5],
  ['33.3333333333333333', 33.333333333333336],
])('reads %s as a number', (text, value) => {
  expect(parsers.getTypeParser(INT8)(text)).toBe(value);
  expect(parsers.getTypeParser(NUMERIC)(text)).toBe(value);
});

it.each(['9007199254740992', '-9007199254740993', '99999999999999999999.5', 'NaN', 'Infinity'])(
  'refuses %s instead of rounding it',
  (text) => {
    expect(() => parseNumber(text)).toThrow(RangeError);
  },
);

it('reads lists with their nulls', () => {
  expect(parsers.getTypeParser(INT8_ARRAY)('{1,NULL,3}')).toEqual([1, null, 3]);
});

it('leaves times as text, with their microseconds', () => {
  expect(parsers.getTypeParser(TIMESTAMPTZ)('2026-01-31 10:00:00.123456+00')).toBe('2026-01-31 10:00:00.123456+00');
});
