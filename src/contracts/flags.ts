import type { WorkflowLinks } from './workflows/text.ts';

export const FLAG_TYPES = [
  'suspicious_activity',
  'self_referral',
  'high_click_frequency',
  'conversion_anomaly',
  'manual_review',
] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** How a flag can be resolved: `confirmed` rejects what it holds, the others end the hold. */
export const FLAG_RESOLUTIONS = ['reviewed', 'dismissed', 'confirmed'] as const;
export type FlagResolution = (typeof FLAG_RESOLUTIONS)[number];

export const FLAG_STATUSES = ['open', ...FLAG_RESOLUTIONS] as const;
export type FlagStatus = (typeof FLAG_STATUSES)[number];

/** What happens to a flag that nobody resolves in time. */
export const FLAG_DEADLINE_ACTIONS = ['keep_open', 'confirm', 'dismiss'] as const;
export type FlagDeadlineAction = (typeof FLAG_DEADLINE_ACTIONS)[number];

/** How a deadline resolves a flag; null: it does not. */
export const RESOLUTION_OF_DEADLINE: Readonly<Record<FlagDeadlineAction, FlagResolution | null>> = {
  keep_open: null,
  confirm: 'confirmed',
  dismiss: 'dismissed',
};

/** What was found. Grows with each finding: the first and the newest ones are kept. */
export interface FlagDetails {
  evidenceCount: number;
  evidence: Record<string, unknown>[];
}

/** What an affiliate is suspected of, in words. */
export const FLAG_LABELS: Readonly<Record<FlagType, string>> = {
  suspicious_activity: 'suspicious activity',
  self_referral: 'self-referral',
  high_click_frequency: 'high click frequency',
  conversion_anomaly: 'unusual conversions',
  manual_review: 'manual review',
};

/** The data of a flag that its workflow needs. Times are ISO 8601. */
export interface FlagSummary {
  flagId: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  affiliateCode: string;
  programName: string;
  companyName?: string;
  /** Minor units that it held when it was opened, as a decimal string. */
  heldMinor?: string | null;
  currency?: string | null;
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
export interface FlagReviewInput
  extends Omit<FlagSummary, 'affiliateCode' | 'programName' | 'companyName' | 'heldMinor' | 'currency'> {
  /** The affiliate's code. */
  affiliate: string;
  program: string;
  timing: FlagTiming;
  links: WorkflowLinks;
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
  /** For a confirmed flag, its commissions in a payout that is not completed. They are rejected if it fails. */
  inPayout: number;
  /** Role of the person who resolved it; null for the deadline. */
  resolvedBy?: string | null;
}
