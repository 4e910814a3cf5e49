import type { PayoutMethod } from '../affiliates.ts';
import type { AttemptOutcome, PayoutStatus, ReviewReason } from '../payouts.ts';
import type { Rail } from '../rails.ts';
import type { SearchValues } from './descriptor.ts';
import type { WorkflowLinks } from './text.ts';

/** The data of a payout that its workflows need. Amounts are decimal strings of minor units, times are ISO 8601. */
export interface PayoutSummary {
  payoutId: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  affiliateCode: string;
  programName: string;
  amountMinor: string;
  currency: string;
  rail: Rail;
  method: PayoutMethod;
  createdAt: string;
}

/** The first lines of inputs and results, as the Temporal UI shows them. */
export interface PayoutHeadline {
  /** "52.50 USD". */
  amount: string;
  /** The affiliate's code. */
  to: string;
  program: string;
  rail: Rail;
  method: PayoutMethod;
}

/** Input of every payout workflow: lines for people first, then ids. */
export interface PayoutWorkflowInput extends PayoutHeadline, Omit<PayoutSummary, 'affiliateCode' | 'programName'> {
  links: WorkflowLinks;
}

/** Part of the workflow input, so that tests can run with milliseconds. */
export interface PayoutTiming {
  /** Delay of the first status look-up without a notification; doubles up to `lookUpMaxMs`. */
  lookUpMs: number;
  lookUpMaxMs: number;
  /** Manual payment: reminders, counted from the payout's creation. The last one requests a manual review. */
  remindAfterMs: number[];
}

const HOUR = 3_600_000;

export const PAYOUT_TIMING: PayoutTiming = {
  lookUpMs: 2_000,
  lookUpMaxMs: HOUR,
  remindAfterMs: [24 * HOUR, 72 * HOUR, 168 * HOUR],
};

export interface PayoutLifecycleInput extends PayoutWorkflowInput {
  timing: PayoutTiming;
}

/** Type of the failure that ends the workflow of a payout that failed. */
export const PAYOUT_FAILED = 'PayoutFailed';

/** Also the details of the `PayoutFailed` failure. */
export interface PayoutLifecycleResult extends PayoutHeadline {
  status: PayoutStatus;
  /** Why it failed, in words; null when it was paid. */
  reason: string | null;
  /** What a person may do next; null when there is nothing to do. */
  next: string | null;
  payoutId: string;
  amountMinor: string;
  currency: string;
  attempts: number;
  failureCode: string | null;
}

/** Result of the `currentState` query. */
export interface PayoutState {
  status: PayoutStatus;
  waitingFor: string;
  attempts: number;
  needsAttention: boolean;
}

/** Result of each activity of a payout workflow, and argument of `payoutChanged`; everything else stays in Postgres. */
export interface PayoutSnapshot {
  /** Rises with each change of the payout or its attempts: of two snapshots, the higher one is newer. */
  version: number;
  status: PayoutStatus;
  /** The latest attempt, or null before the first one. */
  attemptId: string | null;
  attempts: number;
  /** Of the latest attempt. */
  attemptOutcome: AttemptOutcome | null;
  /** How often the latest attempt was sent, the first time included. */
  sendCount: number;
  needsAttention: boolean;
  /** Null unless `needsAttention`. */
  reviewReason: ReviewReason | null;
  /** The provider's own code of the latest attempt. */
  railReason: string | null;
  failureCode: string | null;
  /** ISO time before which the latest attempt is not sent again. Null when it may not be sent again at all. */
  resendAt: string | null;
  /** Why no first attempt may be reserved yet. A `payoutChanged` signal follows when the hold ends. */
  onHold: 'unresolved_contradiction' | null;
}

/** Every activity runs at least once and is safe to repeat. */
export interface PayoutActivities {
  /** Stores the first attempt, already marked as sent, and sends it. Only loads a payout that has an attempt. */
  sendPayout(input: { payoutId: string }): Promise<PayoutSnapshot>;
  /** Asks the provider for the status of the open attempt, and sends it again if the provider never received it. */
  lookUpPayout(input: { payoutId: string }): Promise<PayoutSnapshot>;
  /**
   * Loads the payout. A pending one on a manual rail fails when its affiliate is blocked. With `contradiction`, `needsAttention` is
   * whether that one is unresolved.
   */
  loadPayout(input: { payoutId: string; contradiction?: number }): Promise<PayoutSnapshot>;
  /** Records reminder number `reminder`; the last one requests a manual review. */
  remindPayout(input: { payoutId: string; reminder: number; last: boolean }): Promise<PayoutSnapshot>;
  /** Notes on the timeline that a cancellation of the workflow was requested; it has no effect. */
  recordCancellationRequest(input: { payoutId: string }): Promise<void>;
}

/** What the list of workflows shows. `dueMs` is when the workflow continues by itself; null when it does not. */
export const payoutAttributes = (payout: PayoutSnapshot, dueMs: number | null): SearchValues => ({
  State: payout.status,
  FailureCode: payout.failureCode,
  NeedsAttention: payout.needsAttention,
  DueAt: dueMs === null ? null : new Date(dueMs),
});

export const payoutWorkflowId = (payoutId: string): string => `payout/${payoutId}`;
