import type { PayoutMethod } from './affiliates.ts';
import type { AttemptOutcome, PayoutStatus, ReviewReason } from './payouts.ts';
import { RAIL_NAMES, type Rail, railKind } from './rails.ts';

export const QUEUES = {
  /** Of all workflows; the others are of activities. */
  workflows: 'workflows',
  payouts: 'payouts',
  release: 'release',
  reviews: 'reviews',
  mail: 'mail',
  webhooks: 'webhooks',
  webhookLanes: 'webhook-lanes',
} as const;
/** Payouts have a queue per rail: a provider that does not respond holds up no other rail. */
export type RailQueue = `payouts-${Rail}`;
export type Queue = (typeof QUEUES)[keyof typeof QUEUES] | RailQueue;

export const railQueue = (rail: Rail): RailQueue => `payouts-${rail}`;
/** A person pays on the others. */
const SENDING_RAILS = RAIL_NAMES.filter((rail) => railKind(rail) !== 'manual');
const RAIL_QUEUES: readonly Queue[] = SENDING_RAILS.map(railQueue);
export const isRailQueue = (queue: Queue): queue is RailQueue => RAIL_QUEUES.includes(queue);

/** The task queues of activities that a worker with a role polls, beside that of workflows. The role `relay` has none. */
export const ROLE_QUEUES = {
  payouts: [QUEUES.payouts, QUEUES.release, ...RAIL_QUEUES],
  reviews: [QUEUES.reviews, QUEUES.mail],
  webhooks: [QUEUES.webhooks, QUEUES.webhookLanes],
} as const satisfies Record<string, readonly Queue[]>;

const ROLE_NAMES = Object.keys(ROLE_QUEUES) as (keyof typeof ROLE_QUEUES)[];

/** What a worker can do: relay the outbox, serve the queues of a role, or serve a single queue. */
export const WORKER_ROLES = ['relay', ...ROLE_NAMES, QUEUES.release, QUEUES.mail, ...SENDING_RAILS.map(railQueue)] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

export const queuesOf = (roles: readonly WorkerRole[]): Queue[] => {
  const queues = roles.flatMap((role): readonly Queue[] => {
    if (role === 'relay') return [];
    return role in ROLE_QUEUES ? ROLE_QUEUES[role as keyof typeof ROLE_QUEUES] : [role as Queue];
  });
  return queues.length === 0 ? [] : [...new Set([QUEUES.workflows, ...queues])];
};

/** Ids of the Schedules, without the prefix of the installation. */
export const SCHEDULES = { commissionRelease: 'commission-release', retention: 'retention', digests: 'digests' } as const;

/** Search attributes that finance operators filter by. They are not encrypted, so none may hold personal data. */
export const SEARCH_ATTRIBUTES = {
  MerchantId: 'KEYWORD',
  ProgramId: 'KEYWORD',
  AffiliateId: 'KEYWORD',
  State: 'KEYWORD',
  Rail: 'KEYWORD',
  Currency: 'KEYWORD',
  FailureCode: 'KEYWORD',
  AffiliateCode: 'KEYWORD',
  AmountMinor: 'INT',
  Amount: 'DOUBLE',
  NeedsAttention: 'BOOL',
  DueAt: 'DATETIME',
} as const;

export const WORKFLOW_IDS = {
  payout: (payoutId: string) => `payout/${payoutId}`,
  payoutReturn: (payoutId: string, attemptNumber: number) => `payout/${payoutId}/return/${attemptNumber}`,
  payoutContradiction: (payoutId: string, n: number) => `payout/${payoutId}/contradiction/${n}`,
  application: (applicationId: string) => `application/${applicationId}`,
  flag: (flagId: string) => `flag/${flagId}`,
  delivery: (deliveryId: string, suffix: string) => `webhook/${deliveryId}${suffix}`,
  webhookReplay: (replayId: string) => `webhook-replay/${replayId}`,
  mail: (mailId: string) => `mail/${mailId}`,
  /** These two without the prefix of the installation. */
  screening: (shard: number) => `screening/${shard}`,
  webhookLane: (lane: number) => `webhook-lane/${lane}`,
} as const;

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

/** Where a person continues to read. */
export interface PayoutLinks {
  /** Base URL of the REST API. */
  api: string;
  /** Base URL of the workflows in the Temporal UI. Null when TEMPORAL_UI_URL is not set. */
  workflows: string | null;
}

/** Input of every payout workflow: lines for people first, then ids. */
export interface PayoutWorkflowInput extends PayoutHeadline, Omit<PayoutSummary, 'affiliateCode' | 'programName'> {
  links: PayoutLinks;
}

/** Part of the workflow input, so that tests can run with milliseconds. */
export interface PayoutTiming {
  /** Delay of the first status look-up without a notification; doubles up to `lookUpMaxMs`. */
  lookUpMs: number;
  lookUpMaxMs: number;
  /** Manual payment: reminders, counted from the payout's creation. The last one requests a manual review. */
  remindAfterMs: number[];
}

export interface PayoutLifecycleInput extends PayoutWorkflowInput {
  timing: PayoutTiming;
}

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

export interface PayoutReturnInput extends PayoutWorkflowInput {
  attemptId: string;
  attemptNumber: number;
}

export interface PayoutContradictionInput extends PayoutWorkflowInput {
  /** 1 for the first contradiction of the payout. */
  n: number;
  timing: PayoutTiming;
}

export const SIGNALS = {
  payoutChanged: 'payoutChanged',
  contradictionResolved: 'contradictionResolved',
  flagChanged: 'flagChanged',
  wake: 'wake',
  applicationChanged: 'applicationChanged',
} as const;
/** Type of the failure that ends the workflow of a payout that failed. */
export const PAYOUT_FAILED = 'PayoutFailed';
export const QUERIES = { currentState: 'currentState' } as const;

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
  /** Loads the payout. A pending one on a manual rail fails when its affiliate is blocked. */
  loadPayout(input: { payoutId: string }): Promise<PayoutSnapshot>;
  /** Records reminder number `reminder`; the last one requests a manual review. */
  remindPayout(input: { payoutId: string; reminder: number; last: boolean }): Promise<PayoutSnapshot>;
  /** Notes on the timeline that a cancellation of the workflow was requested; it has no effect. */
  recordCancellationRequest(input: { payoutId: string }): Promise<void>;
  /** Makes returned money payable again and fails the payout. */
  returnPayout(input: { payoutId: string; attemptId: string }): Promise<{ outcome: 'returned' | 'already_returned' }>;
}

export interface ReleaseActivities {
  /** Approves one batch of commissions whose hold period has ended. `failed` are affiliates that were skipped. */
  releaseCommissions(input: { limit: number }): Promise<{ released: number; more: boolean; failed: string[] }>;
}

/** In the order in which the workflow takes them. */
export const RETENTION_STEPS = [
  'parked_deliveries',
  'partitions',
  'late_webhook_rows',
  'rail_notifications',
  'mails',
  'clicks',
] as const;
export type RetentionStep = (typeof RETENTION_STEPS)[number];

export interface RetentionResult {
  /** Rows, or partitions in the step `partitions`. */
  removed: number;
  /** Names of the partitions that were dropped. */
  partitions: string[];
  /** True when more may have expired. */
  more: boolean;
}

export interface RetentionActivities {
  /** Removes expired rows in batches for about 5 seconds. */
  removeExpired(input: { step: RetentionStep }): Promise<RetentionResult>;
}
