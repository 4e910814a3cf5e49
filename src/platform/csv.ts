/**
 * Where a spreadsheet would begin a formula: at the start of a cell, also after blanks, quotes and invisible characters. Where it takes
 * other characters than the comma for separators, cells start within ours. Some read full-width characters as ASCII.
 */
const FORMULA = /(?<=^|[;|\t\r\n])(?=[\s\p{Cf}\p{Cc}"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B])/gu;
const CONTROL = /^[\t\r\n]/;
/** An apostrophe before one of these would be another address. It contains nothing that a formula needs to call anything. */
const EMAIL_ADDRESS = /^[\w.'+-]+@[\w-]+(\.[\w-]+)+$/;

/** A formula becomes text by an apostrophe, as OWASP recommends against CSV injection. */
const neutralize = (text: string): string =>
  EMAIL_ADDRESS.test(text) ? text : text.replaceAll(FORMULA, "'").replace(CONTROL, "'$&");

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
