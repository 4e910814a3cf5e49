import { z } from 'zod';
import { isBlank } from '../../../platform/http/lenient.ts';
import { MAX_AMOUNT_MINOR } from '../../../platform/money.ts';

/** Only what is used is read; Stripe adds fields at any time. */
export const stripeId = z.string().min(1).max(255);

/** One of a set of words that Stripe may extend. */
export const stripeWord = z.string().max(255);

/** At most, as Stripe documents for the text of a promotion code. */
export const promotionText = z.string().min(1).max(500);

/** An id, or the object itself where the event was expanded. */
export const reference = z.union([stripeId, z.object({ id: stripeId }).transform(({ id }) => id)]);

/** Null and undefined are told apart where an event of one API version has a field that another one has not. */
export const optionalReference = z
  .preprocess((given) => (typeof given === 'string' && isBlank(given) ? null : given), reference.nullish())
  .optional();

export const amount = z.int().min(0).max(MAX_AMOUNT_MINOR);
export const signedAmount = z.int().min(-MAX_AMOUNT_MINOR).max(MAX_AMOUNT_MINOR);
export const currencyCode = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .toLowerCase();

const LAST_SECOND = 253_402_300_799;
/** Unix seconds. */
export const time = z
  .int()
  .min(0)
  .max(LAST_SECOND)
  .transform((seconds) => new Date(seconds * 1_000));

export type Metadata = Readonly<Record<string, string>>;

/** More than Stripe allows (50 keys of 40 characters, and values of 500), so that nothing of an event is without a bound. */
const MAX_KEYS = 100;
const MAX_KEY = 100;
const MAX_VALUE = 2_048;

const readTexts = (given: unknown): Metadata | undefined => {
  if (typeof given !== 'object' || given === null) return undefined;
  const texts = Object.entries(given)
    .slice(0, MAX_KEYS)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .filter(([name, text]) => name.length <= MAX_KEY && text.length <= MAX_VALUE);
  return Object.fromEntries(texts);
};

/** Whatever of it can be read: the money does not depend on it. */
export const metadata = z.unknown().transform(readTexts).optional();

/**
 * Stripe counts some currencies differently than ISO 4217: two decimals for ISK and UGX, which have none, and none for MGA,
 * which has two.
 */
const ISO_MINOR_UNITS_PER_100: Readonly<Record<string, number>> = { isk: 1, ugx: 1, mga: 10_000 };

/** Minor units of ISO 4217. */
export const toMinorUnits = (stripeAmount: number, currency: string): number =>
  Math.round((stripeAmount * (ISO_MINOR_UNITS_PER_100[currency] ?? 100)) / 100);
