import { decimalsOf } from '../../../../contracts/currencies.ts';
import { PAYPAL_FACTS } from '../../../../contracts/paypal-facts.ts';
import type { CurrencyFacts } from '../../../../contracts/rails.ts';

export interface Money {
  amountMinor: number;
  currency: string;
}

const CURRENCIES: Readonly<Record<string, CurrencyFacts>> = PAYPAL_FACTS.currencies;

/** As PayPal reads it: "125.00", and "125" where it takes whole units only. Null when the amount has more decimals than that. */
export const toPayPalValue = ({ amountMinor, currency }: Money): string | null => {
  const decimals = decimalsOf(currency);
  const scale = Math.min(CURRENCIES[currency]?.scale ?? decimals, decimals);
  const digits = String(amountMinor).padStart(decimals + 1, '0');
  const [whole, part] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 0 || /[^0]/.test(part.slice(scale))) return null;
  return scale === 0 ? whole : `${whole}.${part.slice(0, scale)}`;
};

const VALUE = /^(-?)(\d{1,13})(?:\.(\d{1,6}))?$/;

/** Null for what is no amount of its currency. */
export const readPayPalMoney = (code: string, value: string): Money | null => {
  const currency = code.toLowerCase();
  const [, sign, whole = '', part = ''] = VALUE.exec(value.trim()) ?? [];
  if (sign === undefined || !/^[a-z]{3}$/.test(currency)) return null;
  const decimals = decimalsOf(currency);
  if (/[^0]/.test(part.slice(decimals))) return null;
  const amountMinor = Number(whole + part.slice(0, decimals).padEnd(decimals, '0')) * (sign === '' ? 1 : -1);
  return Number.isSafeInteger(amountMinor) ? { amountMinor: amountMinor + 0, currency } : null;
};
