import { localTime } from '../../platform/local-time.ts';

export interface BillingMonth {
  from: Date;
  /** Not included. */
  to: Date;
}

/** The calendar month in the merchant's time zone. */
export const billingMonth = (now: Date, timeZone: string): BillingMonth => {
  const from = localTime(now, timeZone).startOf('month');
  return { from: from.toJSDate(), to: from.plus({ months: 1 }).toJSDate() };
};
