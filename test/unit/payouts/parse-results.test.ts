import fc from 'fast-check';
import {
  parseResults,
  RESULT_COLUMNS,
  RESULT_WORDS,
  type ResultLine,
} from '../../../src/domains/payouts/manual/parse-results.rules.ts';
import { readText } from '../../architecture/project.ts';

const ID = '0198f1c2-b3d0-7a15-8c42-3f0e9d7b6a51';
const MAX = 10_000;

const wordOf = (line: ResultLine): string => {
  if ('result' in line) return line.result.result;
  return String(line.refused.details?.['reason'] ?? line.refused.code);
};

const wordsOf = (csv: string): string[] => parseResults(csv, MAX).map(wordOf);

test.each([
  ['paid', ['paid', 'PAID', ' Paid ', 'completed', 'Executed', 'successful', 'bezahlt', 'Ausgeführt']],
  ['failed', ['failed', 'FAILED', 'rejected', 'not paid', 'Not-Paid', 'unpaid', 'cancelled', 'fehlgeschlagen', 'abgelehnt']],
  ['returned', ['returned', 'Returned', 'reversed', 'bounced', 'sent back', 'zurückgebucht']],
])('%s is written in common words', (result, words) => {
  for (const word of words) expect([word, wordsOf(`payoutId,result\n${ID},${word}\n`)]).toEqual([word, [result]]);
});

test.each(['pai', 'fai', 'return', 'yes', 'x', '1', 'pending', 'unclaimed', 'paid?no', 'paid failed', 'p a i d', '✓', 'true'])(
  'MN1: %j is no result, and never paid',
  (word) => {
    expect(wordsOf(`payoutId,result\n${ID},${word}\n`)).toEqual(['VALIDATION_ERROR']);
  },
);

test.each(['', ' ', '""', '\u00A0'])('MN1: an empty result %j says nothing', (cell) => {
  expect(wordsOf(`payoutId,result,bankReference\n${ID},${cell},SCT 1\n`)).toEqual(['NO_RESULT']);
});

test.each(['Result', 'RESULT', 'status', 'Status', 'outcome', 'ERGEBNIS', 're sult'])(
  'MN1: the column %j is the result',
  (column) => {
    for (const [separator, end] of [
      [',', '\n'],
      [';', '\r\n'],
      ['\t', '\r'],
    ] as const)
      expect(wordsOf(['payoutId', column].join(separator) + end + [ID, 'failed'].join(separator) + end)).toEqual(['failed']);
  },
);

test.each(['results', 'state', 'note', 'paid', 'payment', ''])(
  'MN1: with %j in place of the result, the file is refused',
  (column) => {
    expect(() => parseResults(`payoutId,bankReference,${column}\n${ID},x,failed\n`, MAX)).toThrow(
      'must have a header with result',
    );
  },
);

const idOf = (n: number): string => `0198f1c2-b3d0-7a15-8c42-${String(n).padStart(12, '0')}`;

test('MN1: however a file is cut, what failed or came back is never paid', () => {
  const results = fc.array(fc.constantFrom('paid', 'failed', 'returned', 'not paid', ''), { minLength: 1, maxLength: 5 });
  const columns = fc.constantFrom(
    ['payoutId', 'bankReference', 'result'],
    ['payoutId', 'result', 'bankReference'],
    ['result', 'executedAt', 'payoutId'],
  );
  fc.assert(
    fc.property(results, columns, fc.boolean(), (given, names, isQuoted) => {
      const cellsOf = (result: string, n: number): Record<string, string> => ({
        payoutId: idOf(n),
        result,
        bankReference: `SCT ${n}`,
        executedAt: '2026-01-31',
      });
      const rows = given.map((result, n) => names.map((name) => cellsOf(result, n)[name] ?? ''));
      const csv = [names, ...rows].map((row) => row.map((cell) => (isQuoted ? `"${cell}"` : cell)).join(',')).join('\n');
      for (let end = 0; end <= csv.length; end++) {
        let lines: ResultLine[] = [];
        try {
          lines = parseResults(csv.slice(0, end), MAX);
        } catch {
          continue;
        }
        const paid = lines.flatMap((line) => ('result' in line && line.result.result === 'paid' ? [line.result.payoutId] : []));
        const allowed = given.flatMap((result, n) => (result === 'paid' ? [idOf(n)] : []));
        expect(paid.filter((id) => !allowed.includes(id))).toEqual([]);
      }
    }),
    { numRuns: 15 },
  );
});

test('all columns are read, with the spellings of a German Excel', () => {
  const csv = `\uFEFFsep=;\r\nErgebnis;Auszahlungs-ID;Bankreferenz;Datum;Betrag;Währung;Notiz\r\nBezahlt;${ID.toUpperCase()};"SCT; 4711";31.01.2026;1.250,5;EUR;x\r\n`;
  expect(parseResults(csv, MAX)).toEqual([
    {
      line: 3,
      payoutId: ID,
      result: {
        payoutId: ID,
        result: 'paid',
        bankReference: 'SCT; 4711',
        executedAt: '2026-01-31',
        amount: '1.250,5',
        currency: 'eur',
      },
    },
  ]);
});

test('the payments file with a column for the result is read: its reference is the text of the transfer, not of the bank', () => {
  const csv = [
    'payoutId,programName,affiliateCode,method,bankAccountHolder,bankIban,paypalEmail,amount,currency,amountMinor,reference,bankBic,result',
    `${ID},"Acme, Partners",ada,bank_transfer,"'=Ada ""B""",DE89370400440532013000,,125.00,EUR,12500,${ID},COBADEFFXXX,paid`,
  ].join('\r\n');
  expect(parseResults(csv, MAX)).toMatchObject([
    { line: 2, payoutId: ID, result: { result: 'paid', bankReference: undefined, amount: '125.00', currency: 'eur' } },
  ]);
});

test.each([
  ['id', `x,paid,,,`, null, 'payoutId is not the ID of a payout'],
  ['no id', `,paid,,,`, null, 'payoutId is not the ID of a payout'],
  ['date', `${ID},paid,,today,`, ID, 'executedAt is no date that can be read: write it as 2026-01-31'],
  ['date of two months', `${ID},paid,,02/03/2026,`, ID, 'executedAt can be in either of two months'],
  ['reference that is too long', `${ID},paid,${'x'.repeat(141)},,`, ID, 'bankReference must be one line'],
  ['reference of several lines', `${ID},paid,"a\nb",,`, ID, 'bankReference must be one line'],
  ['number that a spreadsheet shortened', `${ID},paid,"4,71E+15",,`, ID, 'format the column as text'],
  ['text that did not fit', `${ID},paid,########,,`, ID, 'format the column as text'],
  ['fault of a formula', `${ID},paid,#N/A,,`, ID, 'format the column as text'],
  ['letter that was lost', `${ID},paid,M\uFFFDller,,`, ID, 'as the bank gave it'],
  ['currency', `${ID},paid,,,Euro`, ID, 'currency must be an ISO 4217 code'],
  ['result', `${ID},lost,,,`, ID, 'result must be one of: paid, failed, returned'],
  ['short line', `${ID},paid`, ID, 'The line has 2 cells, and the header has 5'],
])('a line with a wrong %s is refused by name', (_what, row, payoutId, message) => {
  const [line] = parseResults(`payoutId,result,bankReference,executedAt,currency\n${row}\n`, MAX);
  expect([line?.payoutId, line && 'refused' in line && line.refused.message]).toEqual([
    payoutId,
    expect.stringContaining(message),
  ]);
});

test.each(['#4711', '1E5', "'=R1", "O'Hara"])('the reference %j is one', (reference) => {
  const [line] = parseResults(`payoutId,result,bankReference\n${ID},paid,${reference}\n`, MAX);
  expect(line).toMatchObject({ result: { bankReference: reference.replace("'=", '=') } });
});

test('a reference is stored as the API stores it: without the invisible characters that copying brings along', () => {
  const [line] = parseResults(`payoutId,result,bankReference\n${ID},paid,SCT\u200B 4711\u00AD\n`, MAX);
  expect(line).toMatchObject({ result: { bankReference: 'SCT 4711' } });
});

/** First cell of a row of the guide's tables, and the words in code of its last one. */
const rowsOfGuide = (): Map<string, string[]> => {
  const guide = readText('docs/guides/pay-manually.md');
  const rows = guide.split('\n').flatMap((line) => {
    const [, name, last] = /^\| `(\w+)` \|.*\| ([^|]*) \|$/.exec(line) ?? [];
    return name === undefined || last === undefined
      ? []
      : [[name, [...last.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '')]];
  });
  return new Map(rows as [string, string[]][]);
};

test('the guide names every column and every word that is read, and no others', () => {
  const rows = rowsOfGuide();
  const plain = (words: readonly string[]) => words.map((word) => word.toLowerCase().replace(/[^\p{L}]/gu, '')).toSorted();
  for (const [name, words] of Object.entries({ ...RESULT_COLUMNS, ...RESULT_WORDS }))
    expect([name, plain(rows.get(name) ?? [])]).toEqual([name, plain(words)]);
});
