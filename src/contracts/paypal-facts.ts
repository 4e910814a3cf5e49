import { PAYPAL_FAULTS } from './paypal-faults.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const listed = (codes: string, facts: { scale: number; max: null }) =>
  Object.fromEntries(codes.split(' ').map((code) => [code, facts]));

/** Shortly after the order, then less and less often. */
const SOON: readonly number[] = [5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR];

/**
 * PayPal Payouts. Currencies: developer.paypal.com/reports/reference/supported-currencies; the real, the ringgit and the yuan are for accounts
 * of their country, which PayPal checks. Amounts: the default limits that it publishes, in the currencies for which it does. An account may
 * have others.
 */
export const PAYPAL_FACTS = {
  currencies: {
    ...listed('aud brl cad chf cny czk dkk eur hkd ils mxn myr nok nzd php pln sek sgd thb', { scale: 2, max: null }),
    ...listed('huf jpy twd', { scale: 0, max: null }),
    usd: { scale: 2, max: 20_000 },
    gbp: { scale: 2, max: 15_000 },
  },
  otherCurrencies: null,
  // An email address has no country: PayPal knows where its owner lives, and refuses with RECEIVER_COUNTRY_NOT_ALLOWED.
  countries: { except: [] },
  repeatWindowMs: 30 * DAY,
  isFoundByKey: false,
  resendHelps: true,
  acceptedForMs: { PENDING: 5 * DAY, ONHOLD: 30 * DAY, UNCLAIMED: 35 * DAY, default: 5 * DAY },
  pollsMs: { PENDING: SOON, PROCESSING: SOON, ONHOLD: [6 * HOUR], UNCLAIMED: [DAY] },
  // PayPal takes 400 in a minute from all software of an account together.
  perMinute: 300,
  returnsForMs: 180 * DAY,
  cancelable: ['UNCLAIMED'],
  listIsLateByMs: 4 * HOUR,
  listWindowMs: 31 * DAY,
  waitsForPayee: { UNCLAIMED: 30 * DAY },
  faults: PAYPAL_FAULTS,
  can: { cancel: true, list: true, balances: true, fees: true, notices: true },
};
