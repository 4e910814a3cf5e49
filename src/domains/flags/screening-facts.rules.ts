import type { FlagType } from '../../contracts/flags.ts';
import type { ScreeningLimits } from '../../contracts/screening-limits.ts';

/** What is known about a conversion when it is screened. Email addresses are keyed digests. */
export interface ConversionFacts {
  buyerEmail: string | null;
  buyerEmailDomain: string | null;
  /** The browser that the merchant reported with the sale. */
  userAgent: string | null;
  /** Seconds from the click that the sale came with to the sale; null without such a click. */
  secondsAfterClick: number | null;
  /** Whether that click was made in a browser in which the affiliate used a key. */
  isOwnClick: boolean;
  reviewNewAffiliates: boolean;
  affiliate: AffiliateFacts;
}

/** The affiliate of a conversion, with this conversion and all that are screened with it. */
export interface AffiliateFacts {
  isNew: boolean;
  /** Addresses of the login and of PayPal. Throws when they cannot be decrypted. */
  emails(): ReadonlySet<string>;
  /** Conversions of the last 24 hours. */
  conversionsLastDay: number;
  /** Conversions before, at most 30 days back, and since when there were any. */
  conversionsBefore: number;
  daysBefore: number;
  /** Clicks in the last 30 days. */
  clicks: number;
  /** Conversions in the last 30 days whose sale came with a click. */
  conversionsFromClicks: number;
}

/** A few plain values that a merchant understands, without personal data. */
export type Evidence = Readonly<Record<string, string | number | boolean>>;

/** Pure. Returns what it found, or null. */
export interface Rule {
  name: string;
  type: FlagType;
  find(facts: ConversionFacts, limits: ScreeningLimits): Evidence | null;
}
