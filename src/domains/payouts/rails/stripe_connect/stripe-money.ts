import { decimalsOf } from '../../../../contracts/currencies.ts';
import { RAILS } from '../../../../contracts/rails.ts';

const { currencies } = RAILS.stripe_connect.facts as { currencies: Readonly<Record<string, { scale: number | null } | null>> };

/** Whole units that Stripe counts in hundredths all the same. */
const WHOLE_IN_HUNDREDTHS = ['isk', 'ugx'];

/** Decimals of Stripe's numbers: for some currencies others than those of ISO 4217. */
const stripeDecimalsOf = (currency: string): number => {
  if (WHOLE_IN_HUNDREDTHS.includes(currency)) return 2;
  return currencies[currency]?.scale === 0 ? 0 : decimalsOf(currency);
};

const shift = (amount: number, decimals: number): number => (decimals >= 0 ? amount * 10 ** decimals : amount / 10 ** -decimals);

/** Stripe's number for minor units of ISO 4217. Not whole when Stripe has no number for them, which `canPay` refuses. */
export const toStripeAmount = (amountMinor: number, currency: string): number =>
  shift(amountMinor, stripeDecimalsOf(currency) - decimalsOf(currency));

/** Minor units of ISO 4217, rounded: Stripe charges fractions of a whole unit. */
export const fromStripeAmount = (amount: number, currency: string): number =>
  Math.round(shift(amount, decimalsOf(currency) - stripeDecimalsOf(currency)));
