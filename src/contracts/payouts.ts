import type { PayoutMethod } from './affiliates.ts';
import type { Rail } from './rails.ts';

export const PAYOUT_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** Allowed transitions. `completed` to `failed` happens only when the money came back. */
const TRANSITIONS: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ['processing', 'failed'],
  processing: ['completed', 'failed'],
  completed: ['failed'],
  failed: [],
};

export const canTransition = (from: PayoutStatus, to: PayoutStatus): boolean => TRANSITIONS[from].includes(to);

/** Transitions between final statuses that only the resolution of a contradiction makes. */
export const canResolve = (from: PayoutStatus, to: PayoutStatus): boolean =>
  (from === 'failed' && to === 'completed') || (from === 'completed' && to === 'failed');

/** What a person finds out about a payout that was reported as paid and as failed. */
export const RESOLUTIONS = ['paid', 'not_paid'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/**
 * `created`: stored, not sent yet. `unknown`: may have been executed, so only a status look-up may follow.
 * `returned`: paid, and the money came back.
 */
export const ATTEMPT_OUTCOMES = ['created', 'accepted', 'paid', 'failed', 'unknown', 'returned'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

const ATTEMPT_TRANSITIONS: Record<AttemptOutcome, readonly AttemptOutcome[]> = {
  created: ['accepted', 'paid', 'failed', 'unknown'],
  unknown: ['accepted', 'paid', 'failed'],
  accepted: ['paid', 'failed'],
  paid: ['returned'],
  failed: [],
  returned: [],
};

export const canTransitionAttempt = (from: AttemptOutcome, to: AttemptOutcome): boolean => ATTEMPT_TRANSITIONS[from].includes(to);

/** What changes a payout after its workflow ended: the rail, a person who knows that the money came back, or one who resolves. */
export const CORRECTION_CAUSES = ['rail_return', 'reported_return', 'resolution'] as const;
export type CorrectionCause = (typeof CORRECTION_CAUSES)[number];

/** `open`: the money is said to have come back, and the provider has not confirmed it. */
export const CORRECTION_STATUSES = ['open', 'booked', 'withdrawn'] as const;
export type CorrectionStatus = (typeof CORRECTION_STATUSES)[number];

/** Status of a transfer as reported by the provider, in a notification or a look-up. */
export const RAIL_STATUSES = ['accepted', 'paid', 'failed', 'returned'] as const;
export type RailStatus = (typeof RAIL_STATUSES)[number];

/** Why a payout failed: stable codes for API clients. The provider's own code is in the timeline. */
export const FAILURE_CODES = [
  'cancelled',
  'marked_failed',
  'rail_rejected',
  'account_refused',
  'not_claimed',
  'invalid_details',
  'returned',
  'no_rail',
  'affiliate_blocked',
  'items_held',
  'resolved_not_paid',
  'approval_expired',
  'file_discarded',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** Why a person has to decide on a payout. Stable codes. */
export const REVIEW_REASONS = [
  'accepted_before',
  'accepted_too_long',
  'blocked',
  'contradiction',
  'key_reused',
  'never_sent',
  'record_mismatch',
  'reminders_exhausted',
  'repeat_window_over',
  'resend_blocked',
  'resends_exhausted',
  'return_unconfirmed',
  'status_unknown',
  'unknown_too_long',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];

/** Types of timeline entries. Stored for ever: a type is never renamed or removed. */
export const PAYOUT_TIMELINE_TYPES = [
  'created',
  'approval_requested',
  'approval_reminder_sent',
  'approved',
  'approval_expired',
  'attempt_reserved',
  'file_made',
  'file_downloaded',
  'file_discarded',
  'payee_checked',
  'attempt_sent',
  'send_dropped',
  'status_checked',
  'rail_accepted',
  'rail_paid',
  'rail_failed',
  'returned',
  'affiliate_blocked',
  'items_held',
  'marked_paid',
  'marked_failed',
  'return_reported',
  'return_withdrawn',
  'marked_returned',
  'payment_details_added',
  'cancelled',
  'cancellation_requested',
  'cancellation_refused',
  'cancellation_ignored',
  'workflow_terminated',
  'workflow_superseded',
  'reminder_sent',
  'manual_review_requested',
  'manual_review_ended',
  'contradiction_detected',
  'contradiction_resolved',
  'instructions_viewed',
  'exported',
] as const;
export type PayoutTimelineType = (typeof PAYOUT_TIMELINE_TYPES)[number];

/** Outcome of a send or a status look-up, as the timeline records it. */
export const RAIL_OUTCOMES = ['accepted', 'paid', 'failed', 'unknown', 'returned', 'never_received'] as const;
export type RailOutcome = (typeof RAIL_OUTCOMES)[number];

/** Where an affiliate is paid. Stored only encrypted. */
export interface PayoutDetails {
  method: PayoutMethod;
  paypalEmail: string | null;
  bankIban: string | null;
  bankBic: string | null;
  bankAccountHolder: string | null;
  /** An account of the payee that is connected to the merchant's: it is paid there, and the rest is unused. */
  connected?: ConnectedAccount;
}

/** An account at a provider that its owner connected to that of one merchant. */
export interface ConnectedAccount {
  rail: Rail;
  /** The provider's id. */
  account: string;
}

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** When an order is sent again, and when silence is brought to a person. */
export interface PayoutLimits {
  /** Pauses before each resend, counted from the send before it. There are no further resends. */
  resendPausesMs: readonly number[];
  /** The first pause doubles with each answer that the order was not taken, up to this. */
  maxNotTakenPauseMs: number;
  /** A send that has not begun by then is dropped: the process may have been suspended for hours. */
  sendLeaseMs: number;
  /** How long an attempt may be unknown before a person has to decide. */
  maxUnknownMs: number;
}

export const PAYOUT_LIMITS: PayoutLimits = {
  resendPausesMs: [5 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR],
  maxNotTakenPauseMs: 10 * MINUTE,
  sendLeaseMs: 10 * SECOND,
  maxUnknownMs: 24 * HOUR,
};
