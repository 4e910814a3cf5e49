import { csvLine } from '../../../src/platform/csv.ts';

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

test.each(['+ada@example.com', '-ada@example.com', "o'hara@example.com"])('the address %s is not changed', (address) => {
  expect(csvLine([address])).toBe(`${address}\r\n`);
});

test.each(['0.00', '-20.00', '20', '-1', '123456789.123'])('the number %s is written as it is', (decimal) => {
  expect(csvLine([{ decimal }])).toBe(`${decimal}\r\n`);
});

test.each(['-1+1', '=1', '-', '+1', '-1.', '1e5\n=1', '-20,00'])('what is no number is not written as one: %j', (decimal) => {
  expect(csvLine([{ decimal }])).toBe(csvLine([decimal]));
});
