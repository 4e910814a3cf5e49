import { decimalsOf } from '../../contracts/currencies.ts';

const MAX_CHARS = 30;
const NUMBER = /^(?<whole>\d+|\d{1,3}(?<group>[.,])\d{3}(?:\k<group>\d{3})*)(?:(?<point>[.,])(?<fraction>\d+))?$/;

/**
 * Minor units of an amount as spreadsheets and banks write it: with a point or a comma before the decimals, and thousands apart by the
 * other one, blanks or apostrophes. Null for what is no such amount, or has more decimals than the currency.
 */
export const readAmount = (cell: string, currency: string): number | null => {
  if (cell.length > MAX_CHARS) return null;
  const decimals = decimalsOf(currency);
  const found = NUMBER.exec(cell.trim().replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, ''))?.groups;
  if (!found) return null;
  const { whole = '', group, point, fraction = '' } = found;
  if (group !== undefined && group === point) return null;
  // One separator before three digits marks thousands, unless the currency has three decimals.
  if (group === undefined && fraction.length === 3 && decimals !== 3)
    return whole.length <= 3 ? toMinor(whole + fraction, '', decimals) : null;
  if (fraction.length > decimals && !/^0{1,2}$/.test(fraction)) return null;
  return toMinor(whole.replace(/[.,]/g, ''), fraction, decimals);
};

const toMinor = (whole: string, fraction: string, decimals: number): number | null => {
  const minor = Number(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return Number.isSafeInteger(minor) ? minor : null;
};
