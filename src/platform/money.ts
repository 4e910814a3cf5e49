/** Largest amount of one sale or payout in minor units; sums of 9 000 of them stay exact in a double. */
export const MAX_AMOUNT_MINOR = 1_000_000_000_000;

/** Minor units by lower-case ISO 4217 currency. */
export type AmountsByCurrency = Readonly<Record<string, number>>;

/** roundHalfUp(base × percent / 100), exact: percent has at most two decimals. All in minor units. */
export const percentOf = (baseMinor: number, percent: number): number => {
  const scaled = BigInt(baseMinor) * BigInt(Math.round(percent * 100));
  return Number((scaled + 5_000n) / 10_000n);
};

/** roundHalfUp(base × part / whole), exact. All in minor units; whole is positive. */
export const shareOf = (baseMinor: number, partMinor: number, wholeMinor: number): number =>
  Number((2n * BigInt(baseMinor) * BigInt(partMinor) + BigInt(wholeMinor)) / (2n * BigInt(wholeMinor)));

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** Lower-case ISO 4217. */
export const isCurrency = (text: string): boolean => CURRENCIES.has(text);
