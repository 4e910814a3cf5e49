import { decimalsOf } from '../../contracts/currencies.ts';
import { invalidField } from '../../platform/errors.ts';

interface Range {
  min: number;
  max: number;
}

/** In any currency. */
export const THRESHOLDS: Range = { min: 10, max: 1_000_000 };

/** What a payout threshold may be, in minor units of the currency. */
const rangeOf = (currency: string): Range => {
  const decimals = decimalsOf(currency);
  if (decimals === 0) return { min: 10, max: 100_000 };
  return decimals === 2 ? { min: 1_000, max: 100_000 } : { min: 10_000, max: 1_000_000 };
};

export const assertPayoutThreshold = (threshold: number, currency: string): void => {
  const { min, max } = rangeOf(currency);
  if (threshold < min || threshold > max)
    throw invalidField('payoutThreshold', `must be from ${min} to ${max}, in minor units of ${currency}`);
};

/** A merchant's default names no currency. */
export const clampPayoutThreshold = (threshold: number, currency: string): number => {
  const { min, max } = rangeOf(currency);
  return Math.min(Math.max(threshold, min), max);
};
