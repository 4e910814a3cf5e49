import { formatMoney } from '../../../contracts/currencies.ts';
import { plain } from '../mail-content.rules.ts';

const NUMBER = new Intl.NumberFormat('en');

/** "1,250". */
export const formatCount = (count: number): string => NUMBER.format(count);

/** "1,250.00 EUR" for 125000, "eur". */
export const formatAmount = (amountMinor: number, currency: string): string =>
  formatMoney(amountMinor, currency).replace(/\d+/, (digits) => NUMBER.format(BigInt(digits)));

/** "2026-01-31 22:04 UTC". */
export const formatTime = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** In place of a single email about each. */
export const MANY_IN_AN_HOUR = 'There were more in the last hour than we email you about one by one.';

/** People know each other by name; the code is for those without one. */
export const payeeOf = ({ affiliateName, affiliateCode }: { affiliateName: string | null; affiliateCode: string }): string =>
  plain(affiliateName ?? affiliateCode);
