import type { PayoutStatus, Rail } from './payouts.ts';

export const QUEUES = { payouts: 'payouts', reviews: 'reviews', webhooks: 'webhooks' } as const;
export type Queue = (typeof QUEUES)[keyof typeof QUEUES];

/** Search attributes a finance operator filters by. None of them may hold personal data: they are never encrypted. */
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
  delivery: (deliveryId: string, suffix: string) => `webhook/${deliveryId}${suffix}`,
} as const;

/** Facts of a payout as its story needs them. Amounts are decimal strings of minor units. */
export interface PayoutSummary {
  payoutId: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  amountMinor: string;
  currency: string;
  rail: Rail;
}

/** Times are settings of the run, so that tests live through them in milliseconds. */
export interface PayoutTiming {
  /** First look-up after an attempt was accepted or became unknown; doubles up to `lookUpMaxMs`. */
  lookUpMs: number;
  lookUpMaxMs: number;
  /** Reminders while a person has to act (manual rail), counted from the start. */
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

/** Answer of the `currentState` query. */
export interface PayoutState {
  status: PayoutStatus;
  waitingFor: string;
  attempts: number;
  needsAttention: boolean;
}

export interface PayoutReturnInput extends PayoutSummary {
  attemptId: string;
}

export const SIGNALS = { payoutChanged: 'payoutChanged' } as const;
export const QUERIES = { currentState: 'currentState' } as const;

/** What the story is told after each step; everything else stays in Postgres. */
export interface PayoutSnapshot {
  status: PayoutStatus;
  /** The newest attempt, or null before the first one. */
  attemptId: string | null;
  attempts: number;
  /** True while the newest attempt may be asked about at the rail. */
  lookUp: boolean;
  /** True when a rail's notification waits to be applied. */
  notificationPending: boolean;
  needsAttention: boolean;
  failureCode: string | null;
}

/** Every activity runs at least once: each is safe to repeat. */
export interface PayoutActivities {
  /** Writes the first attempt and moves to processing, when the rail allows it; then sends it. */
  startAttempt(input: { payoutId: string }): Promise<PayoutSnapshot>;
  submitAttempt(input: { payoutId: string; attemptId: string }): Promise<PayoutSnapshot>;
  /** Applies waiting notifications and, with `ask`, asks the rail about the newest attempt. */
  settlePayout(input: { payoutId: string; ask: boolean }): Promise<PayoutSnapshot>;
  remindPayout(input: { payoutId: string; reminder: number; last: boolean }): Promise<PayoutSnapshot>;
  returnPayout(input: { payoutId: string; attemptId: string }): Promise<{ outcome: 'returned' | 'already_returned' }>;
}

export interface ReleaseActivities {
  /** Approves one batch of commissions whose hold is over. */
  releaseCommissions(input: { limit: number }): Promise<{ released: number; more: boolean }>;
}
