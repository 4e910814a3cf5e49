import {
  PAYOUT_TIMELINE_TYPES,
  type PayoutTimelineType,
  RAIL_OUTCOMES,
  type RailOutcome,
  RESOLUTIONS,
  type Resolution,
} from '../payouts.ts';
import { isCount, isListOf, isNullOr, isObjectOf, isOneOf, isOptional, isText, isTime } from './predicates.ts';

/** An entry of the timeline, as workflows show it: their histories are not encrypted. Fields without a value are left out. */
export interface PageLine {
  at: string;
  type: PayoutTimelineType;
  /** Who did it: a role, or a part of the system. Never a name. */
  actor: string;
  attempt?: number;
  outcome?: RailOutcome;
  reason?: string;
  reminder?: number;
  /** How often a look-up had this result in a row, and the last time. */
  times?: number;
  lastAt?: string;
}

/** What the provider said last that the order is. Ids, codes and amounts only. Fields that it did not tell are left out. */
export interface ProviderRecord {
  at: string;
  /** A status, `never_received`, or the provider's own word for one that is not supported. */
  status: string;
  id?: string;
  reference?: string;
  amountMinor?: number;
  currency?: string;
  reason?: string;
}

export interface PageContradiction {
  payoutId: string;
  n: number;
  amountMinor: number;
  currency: string;
  recorded: string;
  reported: string;
  resolution?: Resolution;
  /** A role. */
  resolvedBy?: string;
}

/** What a person reads on the page of a payout besides its state. */
export interface PayoutPage {
  /** Since when it has its status. */
  since: string;
  /** The last ones, oldest first. */
  timeline: PageLine[];
  provider: ProviderRecord | null;
  lookUps: { count: number; firstAt: string; lastAt: string } | null;
  /** The payout that failed, and that this one tries again. */
  retryOf: string | null;
  /** The run that created it. */
  payoutRun?: string | null;
  corrections: number;
  /** Its own, or while it is on hold, that of another payout. */
  contradiction: PageContradiction | null;
}

export const PAGE_LINES = 5;

const isLine = isObjectOf<PageLine>({
  at: isTime,
  type: isOneOf(PAYOUT_TIMELINE_TYPES),
  actor: isText,
  attempt: isOptional(isCount),
  outcome: isOptional(isOneOf(RAIL_OUTCOMES)),
  reason: isOptional(isText),
  reminder: isOptional(isCount),
  times: isOptional(isCount),
  lastAt: isOptional(isTime),
});

const isProviderRecord = isObjectOf<ProviderRecord>({
  at: isTime,
  status: isText,
  id: isOptional(isText),
  reference: isOptional(isText),
  amountMinor: isOptional(isCount),
  currency: isOptional(isText),
  reason: isOptional(isText),
});

const isContradiction = isObjectOf<PageContradiction>({
  payoutId: isText,
  n: isCount,
  amountMinor: isCount,
  currency: isText,
  recorded: isText,
  reported: isText,
  resolution: isOptional(isOneOf(RESOLUTIONS)),
  resolvedBy: isOptional(isText),
});

export const isPayoutPage = isObjectOf<PayoutPage>({
  since: isTime,
  timeline: isListOf(isLine, PAGE_LINES),
  provider: isNullOr(isProviderRecord),
  lookUps: isNullOr(isObjectOf({ count: isCount, firstAt: isTime, lastAt: isTime })),
  retryOf: isNullOr(isText),
  payoutRun: isOptional(isNullOr(isText)),
  corrections: isCount,
  contradiction: isNullOr(isContradiction),
});
