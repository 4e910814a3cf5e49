import type { AttemptOutcome, PayoutStatus, ReviewReason } from './payouts.ts';
import type { Rail } from './rails.ts';

export const QUEUES = { payouts: 'payouts', reviews: 'reviews', webhooks: 'webhooks' } as const;
export type Queue = (typeof QUEUES)[keyof typeof QUEUES];

/** Search attributes that finance operators filter by. They are not encrypted, so none may hold personal data. */
export const SEARCH_ATTRIBUTES = {
  MerchantId: 'KEYWORD',
  ProgramId: 'KEYWORD',
  AffiliateId: 'KEYWORD',
  State: 'KEYWORD',
  Rail: 'KEYWORD',
  Currency: 'KEYWORD',
  AmountMinor: 'INT',
  NeedsAttention: 'BOOL',
  DueAt: 'DATETIME',
} as const;

export const WORKFLOW_IDS = {
  payout: (payoutId: string) => `payout/${payoutId}`,
  payoutReturn: (attemptId: string) => `payout-return/${attemptId}`,
  payoutContradiction: (payoutId: string, n: number) => `payout/${payoutId}/contradiction/${n}`,
  delivery: (deliveryId: string, suffix: string) => `webhook/${deliveryId}${suffix}`,
} as const;

/** The data of a payout that its workflow needs. Amounts are decimal strings of minor units. */
export interface PayoutSummary {
  payoutId: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  amountMinor: string;
  currency: string;
  rail: Rail;
}

/** Part of the workflow input, so that tests can run with milliseconds. */
export interface PayoutTiming {
  /** Delay of the first status look-up without a notification; doubles up to `lookUpMaxMs`. */
  lookUpMs: number;
  lookUpMaxMs: number;
  /** Manual payment: reminders, counted from the start of the wait. The last one requests a manual review. */
  remindAfterMs: number[];
}

export interface PayoutLifecycleInput extends PayoutSummary {
  timing: PayoutTiming;
}

export interface PayoutLifecycleResult {
  status: PayoutStatus;
  amountMinor: string;
  currency: string;
  rail: Rail;
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

export interface PayoutReturnInput extends PayoutSummary {
  attemptId: string;
}

/** Contradiction number `n` of a payout. */
export interface PayoutContradictionInput extends PayoutSummary {
  n: number;
}

export const SIGNALS = { payoutChanged: 'payoutChanged', contradictionResolved: 'contradictionResolved' } as const;
export const QUERIES = { currentState: 'currentState' } as const;

/** Result of each activity of a payout workflow; everything else stays in Postgres. */
export interface PayoutSnapshot {
  status: PayoutStatus;
  /** The latest attempt, or null before the first one. */
  attemptId: string | null;
  attempts: number;
  /** Of the latest attempt. */
  attemptOutcome: AttemptOutcome | null;
  /** How often the latest attempt was sent, the first time included. */
  sendCount: number;
  /** True when a provider notification has not been applied yet. */
  notificationPending: boolean;
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
  /** Reserves the first attempt and moves the payout to processing. On a manual rail it only loads the payout. */
  startAttempt(input: { payoutId: string }): Promise<PayoutSnapshot>;
  /** Sends a reserved attempt, unless it was sent before. */
  submitAttempt(input: { payoutId: string; attemptId: string }): Promise<PayoutSnapshot>;
  /** Applies pending notifications and, with `lookUp`, asks the provider for the status of the open attempt. */
  settlePayout(input: { payoutId: string; lookUp: boolean }): Promise<PayoutSnapshot>;
  /** Records reminder number `reminder`; the last one requests a manual review. */
  remindPayout(input: { payoutId: string; reminder: number; last: boolean }): Promise<PayoutSnapshot>;
  /** Makes returned money payable again and fails the payout. */
  returnPayout(input: { payoutId: string; attemptId: string }): Promise<{ outcome: 'returned' | 'already_returned' }>;
}

export interface ReleaseActivities {
  /** Approves one batch of commissions whose hold period has ended. */
  releaseCommissions(input: { limit: number }): Promise<{ released: number; more: boolean }>;
}
