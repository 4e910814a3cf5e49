import { decimalsOf } from './currencies.ts';
import type { RailRefusal } from './rails.ts';

/** What the sandbox provider publishes that it never pays: it refuses such an order, and its rail refuses the payout before. */
export const SANDBOX_LIMITS = {
  currencies: ['kpw', 'ssp'],
  /** Of an IBAN. */
  countries: ['BY', 'SD'],
  maxMainUnits: 10_000_000,
  /** Local part of a PayPal address that cannot receive payments. */
  localPart: 'cannot-receive',
} as const;

interface SandboxOrder {
  amountMinor: number;
  currency: string;
  email: string | null;
  iban: string | null;
}

const isOneOf = (list: readonly string[], value: string): boolean => list.includes(value);

/** Why the sandbox provider never pays such an order, or null. */
export const sandboxRefusalOf = ({ amountMinor, currency, email, iban }: SandboxOrder): RailRefusal | null => {
  if (isOneOf(SANDBOX_LIMITS.currencies, currency)) return 'currency';
  if (iban !== null && isOneOf(SANDBOX_LIMITS.countries, iban.trim().slice(0, 2).toUpperCase())) return 'country';
  if (amountMinor > SANDBOX_LIMITS.maxMainUnits * 10 ** decimalsOf(currency)) return 'above_limit';
  const [local = ''] = (email ?? '').split(/[@+]/);
  return local.toLowerCase() === SANDBOX_LIMITS.localPart ? 'destination' : null;
};
