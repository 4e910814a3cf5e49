import fc from 'fast-check';
import { csvHeader, csvLine } from '../../../src/platform/csv/csv-line.ts';
import { type CsvFormat, readCsv } from '../../../src/platform/csv/read-csv.ts';

type Name = 'payoutId' | 'result' | 'bankReference';

const FORMAT: CsvFormat<Name> = {
  columns: { payoutId: ['payout'], result: ['status'], bankReference: [] },
  required: ['payoutId', 'result'],
  maxRecords: 10,
};

const read = (csv: string, format = FORMAT) =>
  readCsv(csv, format).map(({ line, cells, problem }) => ({
    at: [line, cells.payoutId, cells.result, cells.bankReference],
    ...(problem === null ? {} : { problem }),
  }));

const messageOf = (csv: string, format = FORMAT): string => {
  try {
    readCsv(csv, format);
    return 'was read';
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  ['as RFC 4180 says', 'payoutId,bankReference,result\r\nA,"one, ""two""",paid\r\n'],
  ['with line feeds, and none at the end', 'payoutId,bankReference,result\nA,"one, ""two""",paid'],
  ['with carriage returns', 'payoutId,bankReference,result\rA,"one, ""two""",paid\r'],
  ['with a byte order mark', '\uFEFFpayoutId,bankReference,result\nA,"one, ""two""",paid\n'],
  ['of a German Excel', 'payoutId;bankReference;result\r\nA;"one, ""two""";paid\r\n'],
  ['copied from a spreadsheet', 'payoutId\tbankReference\tresult\nA\t"one, ""two"""\tpaid\n'],
  ['with bars', 'payoutId|bankReference|result\nA|"one, ""two"""|paid\n'],
  ['with blanks around the cells', ' payoutId , bankReference,result \nA , "one, ""two""" ,  paid\n'],
  ['all in quotation marks', '"payoutId","bankReference","result"\n"A","one, ""two""","paid"\n'],
])('a file %s is read', (_what, csv) => {
  expect(read(csv)).toEqual([{ at: [2, 'A', 'paid', 'one, "two"'] }]);
});

test.each([
  ['a line that names the separator', 'sep=;\r\npayoutId;result\r\nA;paid\r\n', 3],
  ['one with a tab, in capitals', '\uFEFFSEP=\t\npayoutId\tresult\nA\tpaid\n', 3],
  ['a title', 'Payments, January "2026"\npayoutId;result\nA;paid\n', 3],
  ['titles and empty lines', 'Acme Ltd.;;\n\n"All, of January";;\nDate;2026-02-01;\npayoutId;result;\nA;paid;\n', 6],
  ['empty lines and lines of separators', 'payoutId,result\n\n,\n,,,\n\nA,paid\n\n,\n', 6],
])('%s is no record', (_what, csv, line) => {
  expect(read(csv)).toEqual([{ at: [line, 'A', 'paid', undefined] }]);
});

test.each(['payoutId,result', 'PAYOUTID,RESULT', 'PayoutId,Result', 'payout_id,result', 'Payout ID,status', 'payout,STATUS'])(
  'the header %j is known',
  (header) => {
    expect(read(`${header}\nA,paid\n`)).toEqual([{ at: [2, 'A', 'paid', undefined] }]);
  },
);

test.each([
  ['', 'payoutId and result'],
  ['\n\n', 'payoutId and result'],
  ['A,paid\n', 'payoutId and result'],
  ['payoutId\nA\n', 'header with result'],
  ['payoutId,outcome\nA,paid\n', 'header with result'],
  ['result,note\npaid,A\n', 'header with payoutId'],
  [`${'title\n'.repeat(20)}payoutId,result\nA,paid\n`, 'payoutId and result'],
  ['sep=;\npayoutId,result\nA,paid\n', 'payoutId and result'],
  [`payoutId,result${','.repeat(10_000)}\nA,paid\n`, 'payoutId and result'],
])('MN1: %j has no header', (csv, missing) => {
  expect(messageOf(csv)).toContain(missing);
});

test.each([
  ['payoutId,result,Result\nA,failed,paid\n', 'result'],
  ['payoutId,status,result\nA,failed,paid\n', 'result'],
  ['payoutId,payout,result\nA,B,paid\n', 'payoutId'],
])('two columns of one meaning are refused: %j', (csv, name) => {
  expect(messageOf(csv)).toContain(`must have one column for ${name}`);
});

test.each([
  ['fewer cells', 'payoutId,bankReference,result\nA,ref\n', 'has 2 cells, and the header has 3: the line may be cut off'],
  ['one cell', 'payoutId,bankReference,result\nA\n', 'has 1 cells, and the header has 3: the line may be cut off'],
  ['a separator in a text', 'payoutId,bankReference,result\nA,one,two,paid\n', 'put text with a separator in quotation marks'],
])('MN1: a record with %s has a problem', (_what, csv, problem) => {
  expect(read(csv)[0]?.problem).toContain(problem);
});

test('empty cells at the end are no problem where the header has them, or beyond it', () => {
  expect(read('payoutId,result,,\nA,paid\nB,paid,,,,\nC,paid,note,\n')).toEqual([
    { at: [2, 'A', 'paid', undefined] },
    { at: [3, 'B', 'paid', undefined] },
    { at: [4, 'C', 'paid', undefined] },
  ]);
});

test.each([
  ['payoutId,result\nA,paid\nB,"paid\nC,failed\n', 'line 3 on: a quotation mark is not closed'],
  ['payoutId,result\r\nA,"paid"x\r\n', 'line 2 on: a cell with a quotation mark must be in quotation marks'],
  ['payoutId,result,bankReference\nA,paid,5" pipe\n', 'line 2 on: a cell with a quotation mark must be in quotation marks'],
  [`payoutId,result\nA,"${'x\n'.repeat(20_000)}`, 'line 2 on: a line is too long, or a quotation mark is not closed'],
])('BR9: the line and the reason are named, and never what stands there: %j', (csv, message) => {
  expect(messageOf(csv)).toContain(`cannot be read from ${message}`);
  expect(messageOf(csv)).not.toMatch(/pipe|paid/);
});

test('lines are counted as an editor counts them, also after line breaks in cells', () => {
  const csv = 'payoutId,bankReference,result\r\nA,"one\r\ntwo\r\nthree",paid\r\n\r\nB,,paid\r\n"C\n",,paid\r\n';
  expect(readCsv(csv, FORMAT).map(({ line }) => line)).toEqual([2, 6, 7]);
});

test('NS2: records are counted while they are read: what follows the bound is not looked at', () => {
  const records = (count: number) => 'A,paid\n'.repeat(count);
  expect(read(`payoutId,result\n${records(10)}\n\n`)).toHaveLength(10);
  expect(messageOf(`payoutId,result\n${records(11)}`)).toContain('must have at most 10 lines');
  expect(messageOf(`payoutId,result\n${',\n'.repeat(11)}`)).toContain('must have at most 10 lines');
  expect(messageOf(`payoutId,result\n${records(11)}B,"not closed`)).toContain('must have at most 10 lines');
});

/** A cell of text that trimming leaves alone, and that is no formula. */
const cell = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => `x${text.replace(/[\p{C}'=+\-@]/gu, '').trimEnd()}`);

test('what is written with any separator is read back', () => {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const separators = fc.constantFrom(',', ';', '\t', '|');
  const breaks = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 10 }), separators, breaks, (records, separator, end) => {
      const lines = [['payoutId', 'result', 'bankReference'], ...records].map((record) => record.map(quoted).join(separator));
      const expected = records.map(([payoutId, result, bankReference]) => ({ payoutId, result, bankReference }));
      expect(readCsv(lines.join(end), FORMAT).map((record) => record.cells)).toEqual(expected);
    }),
  );
});

test('what our own files write is read back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 10 }), (records) => {
      const expected = records.map(([payoutId, result, bankReference]) => ({ payoutId, result, bankReference }));
      const written = [csvHeader(['payoutId', 'result', 'bankReference']), ...records.map((record) => csvLine(record))].join('');
      expect(readCsv(written, FORMAT).map((record) => record.cells)).toEqual(expected);
    }),
  );
});
