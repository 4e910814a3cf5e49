/** `awaiting_approval`: confirmed, and a second actor has to approve. `paused`: no payout is created. */
export const PAYOUT_RUN_STATUSES = ['draft', 'awaiting_approval', 'running', 'paused', 'completed', 'cancelled'] as const;
export type PayoutRunStatus = (typeof PAYOUT_RUN_STATUSES)[number];

export const RUN_CANCEL_REASONS = ['person', 'draft_expired', 'approval_refused', 'approval_expired'] as const;
export type RunCancelReason = (typeof RUN_CANCEL_REASONS)[number];

/** `planned`: its turn has not come. `payout`: a payout was created, and its outcome is that of the item. `left_out`: nobody is paid. */
export const RUN_ITEM_RESULTS = ['planned', 'payout', 'left_out'] as const;
export type RunItemResult = (typeof RUN_ITEM_RESULTS)[number];

/** Why nothing would be paid to somebody now, in a run or without one. */
export const UNPAYABLE_REASONS = [
  'AFFILIATE_BLOCKED',
  'BELOW_THRESHOLD',
  'DETAILS_JUST_CHANGED',
  'DETAILS_REJECTED',
  'HELD_BY_DISPUTE',
  'HELD_BY_FLAG',
  'NOTHING_PAYABLE',
  'PAYOUTS_PAUSED',
  'PAYOUT_DETAILS_MISSING',
  'PAYOUT_IN_FLIGHT',
  'RAIL_CANNOT_PAY',
  'UNRESOLVED_PAYOUT',
] as const;
export type UnpayableReason = (typeof UNPAYABLE_REASONS)[number];

const OF_RUNS = ['AMOUNT_ROSE', 'DETAILS_CHANGED', 'RUN_CANCELLED', 'SAME_ACTOR', 'TAKEN_OUT'] as const;
export type LeftOutReason = UnpayableReason | (typeof OF_RUNS)[number];

/** Why an affiliate is not paid in a run: when the draft is made, or when the item's turn comes. Stable codes. */
export const LEFT_OUT_REASONS: readonly LeftOutReason[] = [...UNPAYABLE_REASONS, ...OF_RUNS].sort();

export const MAX_RUN_ITEMS = 10_000;
/** Affiliates that one request may name. */
export const MAX_RUN_AFFILIATES = 1_000;
/** A draft that nobody confirms is cancelled. */
export const RUN_DRAFT_DAYS = 7;

/** What a merchant is notified of about a scheduled run. */
export const SCHEDULED_RUN_OUTCOMES = [
  'waits_for_confirmation',
  'author_gone',
  'over_limit',
  'run_in_progress',
  'too_large',
] as const;
export type ScheduledRunOutcome = (typeof SCHEDULED_RUN_OUTCOMES)[number];

/** Formats of files from which people pay manual payouts. */
export const PAYMENT_FILE_FORMATS = ['csv', 'paypal', 'wise'] as const;
export type PaymentFileFormat = (typeof PAYMENT_FILE_FORMATS)[number];
