import { CsvError, parse } from 'csv-parse/sync';
import { invalidField } from '../errors.ts';

const SEPARATORS = [',', ';', '\t', '|'] as const;
/** What banks and spreadsheets write above the header. */
const MAX_TITLE_LINES = 20;
const MAX_HEADER_CHARS = 10_000;
/** Otherwise an open quotation mark takes in the rest of the file. */
const MAX_RECORD_BYTES = 20_000;

const OPTIONS = {
  record_delimiter: '\n',
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
  max_record_size: MAX_RECORD_BYTES,
} as const;

export interface CsvFormat<Name extends string> {
  /** Other names of each column, in lower case and without blanks and signs. Its own name counts in any case. */
  columns: Readonly<Record<Name, readonly string[]>>;
  /** A file without these columns is refused. */
  required: readonly Name[];
  /** Below the header. Empty lines do not count. */
  maxRecords: number;
}

export interface CsvRecord<Name extends string> {
  /** Line of the file on which the record begins, from 1. */
  line: number;
  /** Trimmed. Empty ones are left out. */
  cells: Readonly<Partial<Record<Name, string>>>;
  /** Why the cells do not fit the header, as the end of a sentence about the line: none of them can be trusted. Null if they do. */
  problem: string | null;
}

interface Header<Name extends string> {
  separator: string;
  /** Known columns with their positions. */
  columns: readonly (readonly [Name, number])[];
  /** Up to the last cell with a text, and all. */
  cells: { named: number; all: number };
  line: number;
  /** Where the records begin in the text. */
  end: number;
}

/**
 * Reads a CSV file that people filled in or a bank wrote, with any line breaks, a byte order mark, a `sep=` line, titles above the header,
 * and whichever separator makes a header. Every import reads its file here. Records are counted while they are read. Throws
 * VALIDATION_ERROR with the line when the file cannot be read as a whole.
 */
export const readCsv = <Name extends string>(csv: string, format: CsvFormat<Name>): CsvRecord<Name>[] => {
  const text = csv.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const header = getHeader(text, format);
  const records: CsvRecord<Name>[] = [];
  let count = 0;
  let lastLine = header.line;
  const onRecord = (cells: string[], { lines }: { lines: number }): null => {
    count++;
    lastLine = header.line + lines;
    if (count <= format.maxRecords && cells.some((cell) => cell !== '')) records.push(toRecord(header, cells, lastLine));
    return null;
  };
  try {
    const to = format.maxRecords + 1;
    parse(text.slice(header.end), { ...OPTIONS, delimiter: header.separator, to, on_record: onRecord });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Never the message of the parser: it quotes the file.
    throw invalidField('csv', `cannot be read from line ${lastLine + 1} on: ${PROBLEMS[error.code] ?? WRONG_QUOTE}`);
  }
  if (count > format.maxRecords) throw invalidField('csv', `must have at most ${format.maxRecords} lines`);
  return records;
};

const WRONG_QUOTE = 'a cell with a quotation mark must be in quotation marks, and the mark in it doubled';
const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed. The file may be cut off',
  CSV_MAX_RECORD_SIZE: 'a line is too long, or a quotation mark is not closed',
};

const toRecord = <Name extends string>(
  { columns, cells: { named, all } }: Header<Name>,
  cells: readonly string[],
  lastLine: number,
): CsvRecord<Name> => {
  const breaks = cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
  const given = columns.flatMap(([name, at]) => {
    const cell = cells[at]?.trim() ?? '';
    return cell === '' ? [] : [[name, cell] as const];
  });
  const isShort = cells.length < named;
  const isLong = cells.slice(all).some((cell) => cell !== '');
  const why = isShort ? 'the line may be cut off' : 'put text with a separator in quotation marks';
  return {
    line: lastLine - breaks,
    cells: Object.fromEntries(given) as Partial<Record<Name, string>>,
    problem: isShort || isLong ? `has ${cells.length} cells, and the header has ${named}: ${why}` : null,
  };
};

/** The first line that has all required columns. Without one, the error names what is missing in the line that has most of them. */
const getHeader = <Name extends string>(text: string, format: CsvFormat<Name>): Header<Name> => {
  let missing = format.required;
  for (const header of readHeaders(text, format)) {
    const names = header.columns.map(([name]) => name);
    const absent = format.required.filter((name) => !names.includes(name));
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (absent.length === 0 && twice === undefined) return header;
    if (absent.length === 0) throw invalidField('csv', `must have one column for ${twice}: rename or remove the others`);
    if (absent.length < missing.length) missing = absent;
  }
  throw invalidField('csv', `must have a header with ${missing.join(' and ')}`);
};

const SEP_LINE = /^"?sep=([,;\t|])"?[,;\t|]*(?:\n|$)/i;

/** Each reading of the first lines as a header, in their order. */
function* readHeaders<Name extends string>(text: string, { columns }: CsvFormat<Name>): Generator<Header<Name>> {
  const nameOf = new Map<string, Name>();
  for (const [name, others] of Object.entries<readonly string[]>(columns) as [Name, readonly string[]][])
    for (const word of [name.toLowerCase(), ...others]) nameOf.set(word, name);
  const sepLine = SEP_LINE.exec(text);
  const separators = sepLine?.[1] === undefined ? SEPARATORS : [sepLine[1]];
  const firstLine = sepLine ? 2 : 1;
  let begin = sepLine?.[0].length ?? 0;
  for (let line = firstLine; line < firstLine + MAX_TITLE_LINES && begin < text.length; line++) {
    const at = text.indexOf('\n', begin);
    const end = at === -1 ? text.length : at + 1;
    const row = text.slice(begin, end);
    begin = end;
    if (row.length > MAX_HEADER_CHARS) continue;
    for (const separator of separators) {
      const cells = cellsOf(row, separator);
      const known = cells.flatMap((cell, position) => {
        const name = nameOf.get(wordOf(cell));
        return name === undefined ? [] : [[name, position] as const];
      });
      const named = cells.findLastIndex((cell) => cell !== '') + 1;
      yield { separator, columns: known, cells: { named, all: cells.length }, line, end };
    }
  }
}

/** Names are compared without case, blanks and signs: "Payout ID" and "payout_id" are payoutId. */
const wordOf = (cell: string): string =>
  cell
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** None for what is no line of CSV, such as a title with quotation marks. */
const cellsOf = (row: string, delimiter: string): readonly string[] => {
  try {
    return parse(row, { ...OPTIONS, delimiter })[0] ?? [];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return [];
  }
};
