import { DateTime } from 'luxon';

/**
 * A time in a time zone; in UTC when this program does not know the zone. Luxon keeps every spelling of a name until the process
 * ends, and merchants may spell it in any case.
 */
export const localTime = (time: Date, timeZone: string): DateTime => {
  const local = DateTime.fromJSDate(time, { zone: timeZone.toLowerCase() });
  return local.isValid ? local : DateTime.fromJSDate(time, { zone: 'utc' });
};
