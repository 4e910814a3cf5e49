import { decimalsOf } from './currencies.ts';
import { factsOf, type Rail, type RailFacts } from './rails.ts';

/**
 * Why a rail cannot pay an order. `decimals`: the provider takes fewer of them. `no_account`: the merchant has connected none to pay from.
 * `account_held`: its provider would refuse. `destination`: it cannot receive.
 */
export const RAIL_REFUSALS = [
  'currency',
  'decimals',
  'country',
  'above_limit',
  'no_account',
  'account_held',
  'destination',
] as const;
export type RailRefusal = (typeof RAIL_REFUSALS)[number];

interface PlannedPayment {
  amountMinor: number;
  currency: string;
  /** Country of the payee, ISO 3166; null if it is not known. */
  country: string | null;
}

/** What the published facts of a rail say against a payment, or null. */
export const refusalOf = (rail: Rail, payment: PlannedPayment): RailRefusal | null => {
  const facts = factsOf(rail);
  return facts && refusalByFacts(facts, payment);
};

export const refusalByFacts = (facts: RailFacts, { amountMinor, currency, country }: PlannedPayment): RailRefusal | null => {
  const listed = facts.currencies[currency];
  const paid = listed === undefined ? facts.otherCurrencies : listed;
  if (!paid) return 'currency';
  const decimals = decimalsOf(currency);
  const step = 10 ** Math.max(0, decimals - (paid.scale ?? decimals));
  if (amountMinor % step !== 0) return 'decimals';
  if (country !== null && !isCountryOf(facts, country)) return 'country';
  return paid.max !== null && amountMinor > paid.max * 10 ** decimals ? 'above_limit' : null;
};

const isCountryOf = ({ countries }: RailFacts, country: string): boolean =>
  'only' in countries ? countries.only.includes(country) : !countries.except.includes(country);
