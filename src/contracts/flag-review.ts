import type { FlagDeadlineAction, FlagStatus, FlagType } from './flags.ts';
import type { PayoutLinks } from './workflows.ts';

/** The data of a flag that its workflow needs. Times are ISO 8601. */
export interface FlagSummary {
  flagId: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  affiliateCode: string;
  programName: string;
  type: FlagType;
  createdAt: string;
}

/** Part of the workflow input, so that tests can run with milliseconds. */
export interface FlagTiming {
  /** Counted from when the flag was opened. */
  remindAfterMs: readonly number[];
  /** Pause before commissions that a payout included are looked at again; doubles up to `recheckMaxMs`. */
  recheckMs: number;
  recheckMaxMs: number;
}

const MINUTE = 60_000;
const HOUR = 3_600_000;

export const FLAG_TIMING: FlagTiming = { remindAfterMs: [24 * HOUR, 72 * HOUR], recheckMs: MINUTE, recheckMaxMs: HOUR };

/** Input of `flagReview`: lines for people first, then ids. */
export interface FlagReviewInput extends Omit<FlagSummary, 'affiliateCode' | 'programName'> {
  /** The affiliate's code. */
  affiliate: string;
  program: string;
  timing: FlagTiming;
  links: PayoutLinks;
}

/** Argument of `flagChanged`; everything else stays in Postgres. */
export interface FlagSnapshot {
  /** Rises with each change: of two snapshots, the higher one is newer. */
  version: number;
  status: FlagStatus;
  /** When the deadline is, counted from the newest evidence. */
  dueAt: string;
  /** What the deadline did; null before it, and when a person was faster. */
  deadlineAction: FlagDeadlineAction | null;
  /** Whether linked commissions are still held. */
  isHolding: boolean;
}

/** Result of each activity of `flagReview`. */
export interface FlagReviewState extends FlagSnapshot {
  /** Reminders that were sent. */
  reminders: number;
  /** What the merchant's settings do at the deadline. */
  atDeadline: FlagDeadlineAction;
  /** Conversions that are linked to the flag. */
  conversions: number;
  /** Those whose commission is held. */
  held: number;
  /** Minor units, as a decimal string. */
  heldMinor: string;
  currency: string;
  /** "52.50 USD". */
  heldAmount: string;
  /** Of a confirmed flag: commissions in a payout that is not completed. They are rejected if it fails. */
  inPayout: number;
}

/** Result of the `currentState` query. */
export interface FlagCurrentState {
  status: FlagStatus;
  waitingFor: string;
  dueAt: string | null;
  needsAttention: boolean;
}

export interface FlagReviewResult {
  affiliate: string;
  program: string;
  type: FlagType;
  status: FlagStatus;
  /** "by a person" or "by the deadline". */
  resolved: string;
  flagId: string;
  conversions: number;
}

/** Every activity runs at least once and is safe to repeat. */
export interface FlagActivities {
  loadFlag(input: { flagId: string }): Promise<FlagReviewState>;
  /** Reminds the merchant. `reminder` counts from 1; one that was sent is not sent again. */
  remindFlag(input: { flagId: string; reminder: number }): Promise<FlagReviewState>;
  /** Does what the merchant chose for flags that nobody resolved in time. Changes nothing before the deadline. */
  applyFlagDeadline(input: { flagId: string }): Promise<FlagReviewState>;
  /** Rejects commissions that a confirmed flag holds, for about 5 seconds. The hold ends with the last one. */
  rejectFlagged(input: { flagId: string }): Promise<FlagReviewState>;
  /** Notes that a cancellation of the workflow was requested; it has no effect. */
  recordFlagCancellation(input: { flagId: string }): Promise<void>;
}
