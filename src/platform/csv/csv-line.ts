/** How a formula begins. Some programs read full-width characters as ASCII. */
const SIGNS = '[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B]';
/**
 * What may stand before it at the start of a cell: blanks, quotes and invisible characters. Where a spreadsheet takes other characters than
 * the comma for separators, cells start within ours. A run is taken as a whole, with a sign or without, so each character is read once.
 */
const RUN = new RegExp(`[;|\\s\\p{Cf}\\p{Cc}"]+${SIGNS}?|^${SIGNS}`, 'gu');
const ENDS_WITH_SIGN = new RegExp(`${SIGNS}$`, 'u');
const CONTROL = /^[\t\r\n]/;
/** An apostrophe before one of these would be another address. It contains nothing that a formula needs to call anything. */
const EMAIL_ADDRESS = /^[\w.'+-]+@[\w-]+(\.[\w-]+)+$/;

/** An apostrophe at each place of the run where a cell may start whose first visible character is the sign. */
const mark = (run: string, at: number): string => {
  if (!ENDS_WITH_SIGN.test(run)) return run;
  const start = Math.max(run.lastIndexOf(';'), run.lastIndexOf('|')) + 1;
  const isStart = start > 0 || at === 0;
  return run.slice(0, start) + (isStart ? "'" : '') + run.slice(start).replaceAll(/[\t\r\n]/g, "$&'");
};

/** A formula becomes text by an apostrophe, as OWASP recommends against CSV injection. */
const neutralize = (text: string): string =>
  EMAIL_ADDRESS.test(text) ? text : text.replaceAll(RUN, mark).replace(CONTROL, "'$&");

/** One line of a cell of our own files, as it was before a formula in it became text. */
export const withoutApostrophes = (cell: string): string => cell.replace(/(?<=^|[;|])'(?=["\s]*[=+\-@])/g, '');

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A decimal number, such as an amount: with its sign it is no formula, and with an apostrophe nothing would add it up. */
export interface CsvNumber {
  decimal: string;
}

export type CsvCell = string | CsvNumber;

const toText = (cell: CsvCell): string => {
  if (typeof cell === 'string') return neutralize(cell);
  return DECIMAL.test(cell.decimal) ? cell.decimal : neutralize(cell.decimal);
};

const toCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One record of RFC 4180, with its line break. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map((cell) => toCell(toText(cell))).join(',')}\r\n`;

/** Without it, spreadsheets read a file in the encoding of their country. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The header of a file for people. Files for banks and providers have no mark: it would be part of their first cell. */
export const csvHeader = (names: readonly string[]): string => BYTE_ORDER_MARK + csvLine(names);
