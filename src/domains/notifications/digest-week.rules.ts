import { localTime } from '../../platform/local-time.ts';

/** When daily mails and, on Monday, weekly digests are sent, in the merchant's time zone. */
const HOUR = 8;

export interface DigestWeek {
  /** Date of the Monday on which the digest is due: one digest per date. */
  name: string;
  from: Date;
  to: Date;
  /** Start of the week before. */
  before: Date;
}

/** The week that ended last: Monday 08:00 to Monday 08:00 of local time, whose length differs where the clock is changed. */
export const lastWeek = (now: Date, timeZone: string): DigestWeek => {
  const at = localTime(now, timeZone);
  const monday = at.startOf('week').set({ hour: HOUR });
  const to = monday <= at ? monday : monday.minus({ weeks: 1 });
  const from = to.minus({ weeks: 1 });
  return { name: to.toISODate() ?? '', from: from.toJSDate(), to: to.toJSDate(), before: from.minus({ weeks: 1 }).toJSDate() };
};

export interface DigestDay {
  /** Date on which the mail is due: one mail per date. */
  name: string;
  at: Date;
}

/** The last time that it was 08:00. */
export const lastMorning = (now: Date, timeZone: string): DigestDay => {
  const at = localTime(now, timeZone);
  const today = at.startOf('day').set({ hour: HOUR });
  const morning = today <= at ? today : today.minus({ days: 1 });
  return { name: morning.toISODate() ?? '', at: morning.toJSDate() };
};
