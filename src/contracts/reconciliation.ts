/** How our books and the list of a provider differ. Stored for ever: a kind is never renamed. */
export const DIFFERENCE_KINDS = [
  'missing_there',
  'missing_here',
  'amount',
  'currency',
  'state',
  'twice',
  'fee',
  'destination',
  'late',
  'unknown_reference',
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/**
 * `checking`: the provider was asked about the payout, and the answer may settle it. `resolved`: a person looked at it. `closed`: a later
 * comparison did not find it any more.
 */
export const DIFFERENCE_STATUSES = ['checking', 'open', 'resolved', 'closed'] as const;
export type DifferenceStatus = (typeof DIFFERENCE_STATUSES)[number];

export const RECONCILIATION_STATUSES = ['running', 'completed', 'failed'] as const;
export type ReconciliationStatus = (typeof RECONCILIATION_STATUSES)[number];

export const RECONCILIATION_TRIGGERS = ['schedule', 'hold', 'operator'] as const;
export type ReconciliationTrigger = (typeof RECONCILIATION_TRIGGERS)[number];

/** Why a comparison did not come to its end. */
export const RECONCILIATION_PROBLEMS = ['provider_unavailable', 'too_many_movements', 'no_list', 'internal_error'] as const;
export type ReconciliationProblem = (typeof RECONCILIATION_PROBLEMS)[number];

/** One side of a difference. Amounts in minor units. */
export interface DifferenceSide {
  /** Our outcome, or the provider's own word. */
  state: string;
  amount: number;
  currency: string;
  fee: number | null;
  feeCurrency: string | null;
  /** Where it was paid to, masked; null when that is not known. */
  destination: string | null;
  /** Our key, or the provider's id. */
  reference: string;
  /** How often it was paid. */
  payments: number;
  /** ISO time. */
  at: string;
}

/** What a comparison adds up for one currency. Minor units. */
export interface ReconciliationTotal {
  currency: string;
  /** Payments of ours that were compared. */
  ours: { payments: number; amount: number; fees: number; returned: number };
  /** What the provider lists of them. */
  theirs: { payments: number; amount: number; fees: number; returned: number };
  /** What the provider lists besides: it is in the balance too. Positive when money came in. */
  others: { movements: number; amount: number };
  /** What the account held when the comparison before read its balance, and now; null where the provider does not say. */
  opening: number | null;
  closing: number | null;
  /** What the provider lists between the two, positive when money came in; null without the first. */
  moved: number | null;
}

/** Why nothing is paid. `failover`: another server of the same database took over, and nothing is known to be lost. */
export const PAYMENTS_HOLD_CAUSES = ['operator', 'failover', 'database_replaced', 'database_behind'] as const;
export type PaymentsHoldCause = (typeof PAYMENTS_HOLD_CAUSES)[number];

/** What a database is recognized by. It is kept outside of the database, so that a restored one is noticed. */
export interface DatabaseMark {
  /** The highest number of the outbox. */
  highest: string;
  /** Identifies the cluster and the database in it; null where the server does not tell. */
  identity: string | null;
  /** Rises when a standby takes over. */
  timeline: number;
}

/** What a database that shows another mark than the one that is kept is; null: it is the same. */
export const compareMarks = (kept: DatabaseMark, found: DatabaseMark): Exclude<PaymentsHoldCause, 'operator'> | null => {
  if (BigInt(found.highest) < BigInt(kept.highest)) return 'database_behind';
  if (kept.identity !== null && found.identity !== null && kept.identity !== found.identity) return 'database_replaced';
  return kept.timeline === found.timeline ? null : 'failover';
};
