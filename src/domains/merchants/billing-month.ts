import { DateTime } from 'luxon';

export interface BillingMonth {
  from: Date;
  /** Not included. */
  to: Date;
}

/**
 * The calendar month in the merchant's time zone. A time zone that this program does not know counts as UTC, as it does for
 * digests.
 */
export const billingMonth = (now: Date, timeZone: string): BillingMonth => {
  const local = DateTime.fromJSDate(now, { zone: timeZone });
  const from = (local.isValid ? local : DateTime.fromJSDate(now, { zone: 'UTC' })).startOf('month');
  return { from: from.toJSDate(), to: from.plus({ months: 1 }).toJSDate() };
};
