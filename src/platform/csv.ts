/** What a spreadsheet would run as a formula; some read full-width characters as ASCII. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** An apostrophe before one of these would be another address. It contains nothing that a formula needs to call anything. */
const EMAIL_ADDRESS = /^[\w.'+-]+@[\w.-]+$/;

/** A formula becomes text by an apostrophe, as OWASP recommends against CSV injection. */
const neutralize = (text: string): string => (FORMULA.test(text) && !EMAIL_ADDRESS.test(text) ? `'${text}` : text);

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
