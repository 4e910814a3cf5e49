import { CURRENCY_DECIMALS } from '../contracts/currencies.ts';

/** Largest amount of one sale or payout in minor units; sums of 9 000 of them stay exact in a double. */
export const MAX_AMOUNT_MINOR = 1_000_000_000_000;

/** roundHalfUp(base × percent / 100), exact: percent has at most two decimals. All in minor units. */
export const percentOf = (baseMinor: number, percent: number): number => {
  const scaled = BigInt(baseMinor) * BigInt(Math.round(percent * 100));
  return Number((scaled + 5_000n) / 10_000n);
};

/** roundHalfUp(base × part / whole), exact. All in minor units; whole is positive. */
export const shareOf = (baseMinor: number, partMinor: number, wholeMinor: number): number =>
  Number((2n * BigInt(baseMinor) * BigInt(partMinor) + BigInt(wholeMinor)) / (2n * BigInt(wholeMinor)));

/** 2 for usd, 0 for jpy, 3 for kwd. */
const decimalsOf = (currency: string): number => CURRENCY_DECIMALS.get(currency) ?? 2;

/** "125.00" for 12500, "eur". */
export const toDecimal = (amountMinor: number, currency: string): string => {
  const decimals = decimalsOf(currency);
  return (amountMinor / 10 ** decimals).toFixed(decimals);
};

/** "125.00 EUR" for 12500, "eur". */
export const formatMoney = (amountMinor: number, currency: string): string =>
  `${toDecimal(amountMinor, currency)} ${currency.toUpperCase()}`;

/** 125 for 12500, "eur". For display and search only: not exact. */
export const toMajorUnits = (amountMinor: number, currency: string): number => amountMinor / 10 ** decimalsOf(currency);

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** Lower-case ISO 4217. */
export const isCurrency = (text: string): boolean => CURRENCIES.has(text);
