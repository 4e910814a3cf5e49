/** What the fraud rules consider unusual. Each rule finds what is above its limit, or at it where it says so. */
export const SCREENING_LIMITS = {
  /** Clicks of one address on the links of one affiliate in a minute. */
  clicksPerMinute: 30,
  /** A server that reports clicks of more visitors in a minute is no visitor: the limit of a minute is not applied to its address. */
  visitorsOfAddress: 5,
  /** Clicks of one affiliate in an hour. */
  clicksPerHour: 600,
  /** At this many conversions in 24 hours, they are compared with the days before. */
  conversionsPerDay: 10,
  /** Times the daily mean of the days before. */
  dailyMeanFactor: 5,
  /** At this many conversions in 24 hours without a day before to compare with. */
  conversionsOnFirstDay: 50,
  /** How far back the days before reach. */
  historyDays: 30,
  /** The share of clicks that became sales, once there are this many clicks. */
  conversionRate: 0.5,
  clicksForRate: 20,
  /** A sale sooner after its click. */
  secondsAfterClick: 3,
  /** For how long a browser in which an affiliate used a key is the affiliate's own. */
  sessionDays: 30,
} as const;

export type ScreeningLimits = typeof SCREENING_LIMITS;
