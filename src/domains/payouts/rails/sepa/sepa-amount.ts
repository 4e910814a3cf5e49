/** Euro of a bank file, with two decimals. */
export const toEuro = (amountMinor: bigint): string => {
  const digits = String(amountMinor).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** Minor units of an amount with at most two decimals that count; null for anything else. Banks write up to five. */
export const fromEuro = (text: string): number | null => {
  const parts = /^(\d{1,15})(?:\.(\d{1,2})(0{0,3}))?$/.exec(text.trim());
  const amountMinor = parts && Number(`${parts[1]}${(parts[2] ?? '').padEnd(2, '0')}`);
  return Number.isSafeInteger(amountMinor) ? amountMinor : null;
};
