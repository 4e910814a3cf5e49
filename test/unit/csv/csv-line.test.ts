import fc from 'fast-check';
import { csvHeader, csvLine, withoutApostrophes } from '../../../src/platform/csv/csv-line.ts';

test.each([
  ['plain text', ['a', 'b c', ''], 'a,b c,\r\n'],
  ['commas, quotes and line breaks', ['a,b', 'say "x"', 'one\ntwo'], '"a,b","say ""x""","one\ntwo"\r\n'],
  ['an account number', ['DE89370400440532013000', '-'], "DE89370400440532013000,'-\r\n"],
])('quotes %s as RFC 4180 says', (_what, cells, written) => {
  expect(csvLine(cells)).toBe(written);
});

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '\uFF1D1+1',
  '\uFF20SUM(1)',
  '=cmd|"/c calc"!A1',
  "=HYPERLINK('http://x@y.example')",
  '+A1()@x.example',
])('the formula %j becomes text', (cell) => {
  expect(csvLine([cell]).replace(/^"/, '')).toMatch(/^'/);
});

/** As a program would begin a formula that trims blanks and quotes. */
const IS_FORMULA = /^[\s\p{Cf}\p{Cc}"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]/u;

/** The cells of programs that do not separate by commas, or do not read quotes. */
const cellsOf = (line: string): string[] => [/;/, /\t/, /\|/, /[;\t|\r\n]/].flatMap((separator) => line.split(separator));

test.each([
  'x;=1+1',
  "x;=cmd|'/C calc'!A0",
  'x\t=1+1',
  'x|=1+1',
  'one\n=1+1',
  'x; =1+1',
  'x;"=1+1"',
  '";=1+1',
  ' =1+1',
  '\u00A0=1+1',
  '\uFEFF=1+1',
  '\u200B+1',
  '\u202E@SUM(1)',
  'x;\u00A0\uFEFF-1',
  ';;=1',
  '\u0000=1',
])('no other separator makes a formula of %j', (cell) => {
  const lines = [csvLine([cell, 'b']), csvLine(['a', cell])];
  expect(lines.flatMap(cellsOf).filter((found) => IS_FORMULA.test(found))).toEqual([]);
});

test('no text of separators, blanks, quotes and signs becomes a formula', () => {
  const characters = [...';|\t\r\n ,"\'=+-@x1\u00A0\uFEFF\uFF1D'];
  fc.assert(
    fc.property(fc.array(fc.array(fc.constantFrom(...characters)).map((cell) => cell.join(''))), (cells) => {
      const found = cellsOf(csvLine(cells));
      expect(found.filter((cell) => IS_FORMULA.test(cell))).toEqual([]);
    }),
  );
});

test.each(['A - B', 'Summer; winter', 'a|b', 'x=1', 'one\ntwo - three', '20 %; 5', "it's"])(
  'the text %j is not changed',
  (cell) => {
    expect(csvLine([cell]).trimEnd().replaceAll('"', '')).toBe(cell);
  },
);

test.each(['+ada@example.com', '-ada@example.com', "o'hara@example.com"])('the address %s is not changed', (address) => {
  expect(csvLine([address])).toBe(`${address}\r\n`);
});

test.each(['0.00', '-20.00', '20', '-1', '123456789.123'])('the number %s is written as it is', (decimal) => {
  expect(csvLine([{ decimal }])).toBe(`${decimal}\r\n`);
});

test.each(['-1+1', '=1', '-', '+1', '-1.', '1e5\n=1', '-20,00'])('what is no number is not written as one: %j', (decimal) => {
  expect(csvLine([{ decimal }])).toBe(csvLine([decimal]));
});

test.each(['=R1', '+49 30 1', '-20', '@sum', 'A; =1', '"=1"', ' - x'])(
  'the text %j is what it was after it became a cell',
  (text) => {
    const cell = csvLine([text])
      .trimEnd()
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"');
    expect(cell).not.toBe(text);
    expect(withoutApostrophes(cell)).toBe(text);
  },
);

test('a file for people begins with a byte order mark, a line never does', () => {
  expect(csvHeader(['a', 'b'])).toBe('\uFEFFa,b\r\n');
  expect(csvLine(['a', 'b'])).toBe('a,b\r\n');
});
